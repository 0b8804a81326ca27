// SPDX-License-Identifier: Apache-2.0
import { type Timestamp, timeText } from '../../../storage/storage.ts'
import type { ErrorCode } from '../../errors/error-codes.ts'
import { shortened } from '../../errors/server-error.ts'
import type { Principal } from '../access/principal.ts'

/** An issuer and a subject are in it, which are 1 KiB each at most. */
const TEXT_CHARACTERS_MAX = 2_560

/** What the audit log tells of; `docs/security.md` says when. */
export type AuditEventName =
  | 'server_started'
  | 'server_stopped'
  | 'access_changed'
  | 'definition_changed'
  | 'authentication_failed'
  | 'refused'
  | 'inspected'
  | 'interrupted'
  | 'backup'
  | 'impersonated'
  | 'promoted'
  | 'superseded'
  | 'events_lost'

/** Names that a statement has, by what they are the names of. */
export type AuditNames = Readonly<Record<string, string | readonly string[] | boolean>>

/** One event, without its time. It has names and codes only: no text, value or key of a client. */
export type AuditEvent = {
  readonly event: AuditEventName
  readonly principal?: string | undefined
  readonly role?: string | undefined
  readonly address?: string | undefined
  /** Of `openapi.yaml`, the type of a frame, or the kind of a statement. */
  readonly operation?: string | undefined
  readonly table?: string | undefined
  /** The one that was missing. */
  readonly right?: string | undefined
  readonly names?: AuditNames | undefined
  readonly code?: ErrorCode | undefined
  /** As `GET /v1/running` has it. */
  readonly request?: string | undefined
  readonly commitTimestamp?: Timestamp | undefined
  /** So many events of this kind are told by this line. */
  readonly count?: number | undefined
  readonly url?: string | undefined
  readonly flags?: Readonly<Record<string, string>> | undefined
}

/** Who asked for what is told. */
export type Asker = {
  readonly principal?: Principal | undefined
  readonly address: string
  readonly operation: string
  /** Empty or absent where it was answered at once. */
  readonly id?: string
}

/** What an event says of who asked. */
export function askedBy({ principal, address, operation, id = '' }: Asker) {
  return {
    principal: principal?.id,
    role: principal?.role,
    address,
    operation,
    request: id === '' ? undefined : id,
  }
}

/** Beside those that JSON escapes: what ends a line somewhere, moves a cursor or turns a text round. */
const UNSAFE = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

function escaped(text: string): string {
  return text.replace(UNSAFE, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Its line, as JSON with a newline at the end; no character in it but that one ends a line. */
export function auditLine(event: AuditEvent, atMicros: number): Buffer {
  const json = JSON.stringify({ time: timeText(atMicros), ...event }, shortenText)
  return Buffer.from(`${escaped(json)}\n`)
}

/** For a log that escapes only what JSON does: the others are spelled, as `\u2028`. */
export function spelledEvent(event: AuditEvent): Readonly<Record<string, unknown>> {
  const json = JSON.stringify(event, shortenText)
  return JSON.parse(json, (_name, value: unknown) =>
    typeof value === 'string' ? escaped(value) : value,
  ) as Record<string, unknown>
}

function shortenText(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? shortened(value, TEXT_CHARACTERS_MAX) : value
}
