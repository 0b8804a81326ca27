// SPDX-License-Identifier: Apache-2.0
import type { AuditEvent } from './audit-event.ts'

const MINUTE_MS = 60_000
/** Of one kind and origin in a minute; what comes after them is counted. */
const EACH_MAX = 10
/** Kinds and origins that are told apart; the events of all others are counted together. */
const KEPT_MAX = 10_000

type Kept = { readonly sinceMs: number; readonly event: AuditEvent; count: number }

/** Events that any client can make as often as it likes: a minute of them costs a few lines, however many they are. */
export class RepeatedEvents {
  /** The oldest first. */
  readonly #kept = new Map<string, Kept>()

  /** Whether it gets a line of its own; else it is one of those that `ended` counts. */
  isToldAlone(event: AuditEvent, nowMs: number): boolean {
    const known = this.#kept.get(keyOf(event))
    if (known === undefined && this.#kept.size >= KEPT_MAX) {
      const { event: kind } = event
      this.#keep(`others ${kind}`, { event: kind, address: 'others' }, nowMs).count += 1
      return false
    }
    const kept = known ?? this.#keep(keyOf(event), common(event), nowMs)
    kept.count += 1
    return kept.count <= EACH_MAX
  }

  /** For each kind and origin whose minute is over, one event with the count of those that got no line. */
  ended(nowMs = Number.POSITIVE_INFINITY): AuditEvent[] {
    const counted: AuditEvent[] = []
    for (const [key, { sinceMs, event, count }] of this.#kept) {
      if (nowMs - sinceMs < MINUTE_MS) break
      this.#kept.delete(key)
      const more = event.address === 'others' ? count : count - EACH_MAX
      if (more > 0) counted.push({ ...event, count: more })
    }
    return counted
  }

  #keep(key: string, event: AuditEvent, nowMs: number): Kept {
    const known = this.#kept.get(key)
    if (known !== undefined) return known
    const kept = { sinceMs: nowMs, event, count: 0 }
    this.#kept.set(key, kept)
    return kept
  }
}

/** What those that are counted together have in common: of strangers their address alone. */
function common({ event, principal, role, address, table, code }: AuditEvent): AuditEvent {
  if (event === 'authentication_failed') return { event, address }
  return { event, principal, role, ...(principal === undefined ? { address } : {}), table, code }
}

function keyOf(event: AuditEvent): string {
  return JSON.stringify(common(event))
}
