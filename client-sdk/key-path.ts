// SPDX-License-Identifier: Apache-2.0
import { PercoliteError } from './errors.ts'

/** One component of a primary key. TIMESTAMP is a Date or its ISO text, BYTES a Uint8Array. */
export type KeyValue = string | number | bigint | boolean | Date | Uint8Array
/** A primary key: its only component, or all of them in key order. */
export type Key = KeyValue | readonly KeyValue[]

/** The key as a part of a URL; see "Keys in paths" in `docs/http-api.md`. */
export function keyPath(key: Key): string {
  const components = Array.isArray(key) ? (key as readonly KeyValue[]) : [key as KeyValue]
  return components.map((value) => pathPart(escapeComponent(textOf(value)), 'key')).join(',')
}

/** The key of an entry of an index, alike; null is NULL. */
export function entryKeyPath(key: readonly (KeyValue | null)[]): string {
  return key.map((value) => (value === null ? '~4' : keyPath(value))).join(',')
}

/** A text as a part of a path. Throws `type_mismatch` for half a surrogate pair, as the server does. */
export function pathPart(text: string, what: string): string {
  return encodeURIComponent(requireWellFormed(text, what))
}

/** The text itself. Throws `type_mismatch` where it is not well-formed Unicode, which nothing in a URL can be. */
export function requireWellFormed(text: string, what: string): string {
  if (text.isWellFormed()) return text
  throw new PercoliteError({
    code: 'type_mismatch',
    message: `The ${what} ${JSON.stringify(text)} has half of a surrogate pair.`,
  })
}

function textOf(value: KeyValue): string {
  if (value instanceof Date) return isoText(value, 'A key')
  if (value instanceof Uint8Array) return bytesToBase64Url(value)
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new TypeError(`A key is ${value}; REAL holds finite numbers only.`)
  }
  return String(value)
}

/** Throws TypeError for a Date that is none. */
export function isoText(date: Date, what: string): string {
  if (Number.isNaN(date.getTime())) throw new TypeError(`${what} is an invalid Date.`)
  return date.toISOString()
}

/** A comma separates components, and what is nothing or only dots is no part of a URL. */
function escapeComponent(text: string): string {
  if (text === '') return '~3'
  const escaped = text.replaceAll('~', '~0').replaceAll(',', '~1')
  return /^\.+$/.test(escaped) ? escaped.replaceAll('.', '~2') : escaped
}

function bytesToBase64Url(bytes: Uint8Array): string {
  return bytesToBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

const BASE64_STEP_BYTES = 0x8000

export function bytesToBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let start = 0; start < bytes.length; start += BASE64_STEP_BYTES) {
    binary += String.fromCharCode(...bytes.subarray(start, start + BASE64_STEP_BYTES))
  }
  return btoa(binary)
}
