// SPDX-License-Identifier: Apache-2.0
import type { Parameter, Row, Schemas } from '../../client-sdk/client.ts'
import { hexOf, SHOWN_BYTES_MAX } from '../page/grid-cell.ts'

type Column = Schemas['TableColumn']

/** What stands in a field of a form: a text, bytes too long to be read, NULL, or nothing that would be sent. */
export type FieldValue =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'null' }
  | { readonly kind: 'unset' }

/** By the name of the column. */
export type FormValues = Readonly<Record<string, FieldValue>>

/** The fields of a row, as the client gives it, with INTEGER as bigint and JSON as text. */
export function formOf(columns: readonly Column[], row: Row): FormValues {
  return Object.fromEntries(columns.map(({ name }) => [name, fieldOf(row[name])]))
}

function fieldOf(value: unknown): FieldValue {
  if (value === undefined) return { kind: 'unset' }
  if (value === null) return { kind: 'null' }
  if (value instanceof Uint8Array) {
    if (value.length > SHOWN_BYTES_MAX) return { kind: 'bytes', bytes: value }
    return { kind: 'text', text: hexOf(value) }
  }
  return { kind: 'text', text: Object.is(value, -0) ? '-0' : String(value) }
}

/** Fields that differ from those of before, in the order of the columns. */
export function changedColumns(
  columns: readonly Column[],
  before: FormValues,
  now: FormValues,
): readonly Column[] {
  return columns.filter(({ name }) => !isSameField(before[name], now[name]))
}

export function isSameField(one: FieldValue | undefined, other: FieldValue | undefined): boolean {
  if (one?.kind === 'text' && other?.kind === 'text') return one.text === other.text
  if (one?.kind === 'bytes' && other?.kind === 'bytes') return areEqual(one.bytes, other.bytes)
  return one?.kind === other?.kind
}

function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  if (one === other) return true
  return one.length === other.length && one.every((byte, at) => byte === other[at])
}

/** The bytes that a field of BYTES has, where it has some. */
export function bytesOfField(field: FieldValue): Uint8Array | undefined {
  if (field.kind === 'bytes') return field.bytes
  return field.kind === 'text' ? (typedValue(field.text, 'BYTES') as Uint8Array) : undefined
}

/** What is to be sent of these columns, or what is wrong with which field. */
export function sentValues(
  columns: readonly Column[],
  now: FormValues,
): {
  readonly row: Readonly<Record<string, Parameter>>
  readonly problems: Readonly<Record<string, string>>
} {
  const row: Record<string, Parameter> = {}
  const problems: Record<string, string> = {}
  for (const { name, type } of columns) {
    const field = now[name]
    if (field === undefined || field.kind === 'unset') continue
    if (field.kind === 'null') row[name] = null
    else if (field.kind === 'bytes') row[name] = field.bytes
    else {
      const value = typedValue(field.text, type)
      if (value === undefined) problems[name] = WANTED[type] ?? `This is no ${type}.`
      else row[name] = value
    }
  }
  return { row, problems }
}

/** What is said of a text that is no value of its type. */
const WANTED: Readonly<Record<string, string>> = {
  INTEGER: 'An INTEGER is digits, with a sign perhaps.',
  DECIMAL: 'A DECIMAL is a number such as 12.50.',
  REAL: 'A REAL is a number such as 2.5 or 1e6.',
  BOOLEAN: 'A BOOLEAN is true or false.',
  BYTES: 'BYTES are pairs of hexadecimal digits.',
  JSON: 'This is no JSON: a text in it stands in double quotes.',
}

/** Undefined where the text is none of the type. What a TIMESTAMP may be is left to the server. */
function typedValue(text: string, type: string): Parameter | undefined {
  const trimmed = text.trim()
  switch (type) {
    case 'INTEGER':
      return /^[-+]?\d+$/.test(trimmed) ? BigInt(trimmed.replace('+', '')) : undefined
    case 'DECIMAL':
      return /^[-+]?(\d+\.?\d*|\.\d+)$/.test(trimmed) ? trimmed : undefined
    case 'REAL': {
      const number = trimmed === '' ? Number.NaN : Number(trimmed)
      return Number.isFinite(number) ? number : undefined
    }
    case 'BOOLEAN':
      return /^(true|false)$/i.test(trimmed) ? trimmed.toLowerCase() === 'true' : undefined
    case 'BYTES':
      return /^([\da-f]{2})*$/i.test(trimmed) ? bytesOf(trimmed) : undefined
    case 'JSON':
      return jsonOf(trimmed)
    default:
      return text
  }
}

function bytesOf(digits: string): Uint8Array {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

type RawJson = { rawJSON?: (text: string) => unknown }

/** With every digit of its numbers, where the browser can keep them. */
function jsonOf(text: string): Parameter | undefined {
  const { rawJSON } = JSON as RawJson
  const keep = (_: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && context?.source !== undefined && rawJSON !== undefined
      ? rawJSON(context.source)
      : value
  try {
    return JSON.parse(text, keep) as Parameter
  } catch {
    return undefined
  }
}
