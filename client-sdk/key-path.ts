// SPDX-License-Identifier: Apache-2.0

/** One component of a primary key. TIMESTAMP is a Date or its ISO text, BYTES a Uint8Array. */
export type KeyValue = string | number | bigint | boolean | Date | Uint8Array
/** A primary key: its only component, or all of them in key order. */
export type Key = KeyValue | readonly KeyValue[]

/** The key as a part of a URL; see "Keys in paths" in `docs/http-api.md`. */
export function keyPath(key: Key): string {
  const components = Array.isArray(key) ? (key as readonly KeyValue[]) : [key as KeyValue]
  return components.map((value) => encodeURIComponent(escapeComponent(textOf(value)))).join(',')
}

function textOf(value: KeyValue): string {
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return bytesToBase64Url(value)
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new TypeError(`A key is ${value}; REAL holds finite numbers only.`)
  }
  return String(value)
}

/** A comma separates components, and what is nothing or only dots is no part of a URL. */
function escapeComponent(text: string): string {
  if (text === '') return '~3'
  const escaped = text.replaceAll('~', '~0').replaceAll(',', '~1')
  return /^\.+$/.test(escaped) ? escaped.replaceAll('.', '~2') : escaped
}

function bytesToBase64Url(bytes: Uint8Array): string {
  // A key has a few thousand bytes at most.
  const base64 = btoa(String.fromCharCode(...bytes))
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
