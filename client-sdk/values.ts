// SPDX-License-Identifier: Apache-2.0
import { clientError } from './errors.ts'
import { inexactNumber, keptTextsOf } from './json-text.ts'
import { bytesToBase64, isoText, type KeyValue } from './key-path.ts'
import type { ResultColumn, WireResult } from './wire.ts'

/**
 * A value of a row. INTEGER is a number or a bigint as the client was told, DECIMAL the text of its digits, `78119.51`,
 * or what the client was told to make of that, BYTES a Uint8Array,
 * TIMESTAMP the text `2026-01-31T12:00:00.000000Z` (a Date would lose the microseconds), JSON
 * whatever it holds, or its text as the client was told, and NULL null.
 */
export type Value = unknown
export type Row = Readonly<Record<string, Value>>

export type IntegerMode = 'number' | 'bigint'

/** How values are given, as `connect` is told. */
export type ValueModes = {
  readonly integers?: IntegerMode
  readonly decimal?: (text: string) => Value
}

/**
 * What may stand for a parameter: null, booleans, numbers, bigints, strings, a Uint8Array for BYTES,
 * a Date for a TIMESTAMP, an object of a library for a DECIMAL whose toJSON is its digits, an array for `IN :list`,
 * any JSON for a JSON column.
 */
export type Parameter = unknown
/** An array for `$1 …`, an object for `:name`. */
export type Parameters = readonly Parameter[] | Readonly<Record<string, Parameter>>

/** The parameters in their JSON form. What JSON would silently change or drop is a TypeError. */
export function encodeParameters(parameters: Parameters): unknown[] | Record<string, unknown> {
  if (Array.isArray(parameters)) {
    return parameters.map((value, index) => encodeParameter(value, `$${index + 1}`))
  }
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, encodeParameter(value, `:${name}`)]),
  )
}

function encodeParameter(value: unknown, name: string): unknown {
  switch (typeof value) {
    case 'bigint':
      return encodeInteger(value)
    case 'number':
      if (Number.isFinite(value)) return value
      throw new TypeError(`The parameter ${name} is ${value}; REAL holds finite numbers only.`)
    case 'undefined':
    case 'function':
    case 'symbol':
      throw new TypeError(`The parameter ${name} is ${typeof value}; NULL is null.`)
  }
  if (value instanceof Uint8Array) return bytesToBase64(value)
  if (value instanceof Date) return isoText(value, `The parameter ${name}`)
  if (Array.isArray(value)) {
    return value.map((one, index) => encodeParameter(one, `${name}[${index}]`))
  }
  return typeof value === 'object' && value !== null ? encodeObject(value, name) : value
}

/** An object is meant for a JSON column, where JSON.stringify would lose what it has no form for. */
function encodeObject(value: object, name: string): unknown {
  if ('toJSON' in value || isRawJson(value)) return value
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw new TypeError(
      `The parameter ${name} is a ${prototype.constructor?.name}, no plain object.`,
    )
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      const path = `${name}.${key}`
      if (typeof one === 'bigint') {
        throw new TypeError(`The parameter ${path} is a bigint: write a string.`)
      }
      return [key, encodeParameter(one, path)]
    }),
  )
}

/** What `JSON.rawJSON` makes, in runtimes that have it: JSON.stringify writes its digits as they are. */
function isRawJson(value: object): boolean {
  return (JSON as { isRawJSON?: (value: unknown) => boolean }).isRawJSON?.(value) === true
}

function encodeInteger(value: bigint): number | string {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value.toString()
}

/** The rows of one statement, each value in the form of its column's type. */
export function decodeRows(result: Pick<WireResult, 'columns' | 'rows'>, modes: ValueModes): Row[] {
  const changing = result.columns.filter(
    ({ type }) =>
      type === 'INTEGER' ||
      type === 'BYTES' ||
      type === 'JSON' ||
      (type === 'DECIMAL' && modes.decimal),
  )
  // Most values are what they are in JSON, so that the rows may be taken as they came.
  if (changing.length === 0) return result.rows as Row[]
  for (const row of result.rows as Array<Record<string, unknown>>) {
    for (const column of changing) {
      const value = row[column.name]
      if (value !== null && value !== undefined) {
        row[column.name] =
          column.type === 'JSON'
            ? decodeJson(column, value, row)
            : decodeValue(column, value, modes)
      }
    }
  }
  return result.rows as Row[]
}

/** The values of a primary key, each in the form of its column's type; a DECIMAL is its text. */
export function decodeKey(
  columns: readonly ResultColumn[],
  key: readonly unknown[],
  modes: ValueModes,
): KeyValue[] {
  return columns.map((column, index) => {
    const isChanging = column.type === 'INTEGER' || column.type === 'BYTES'
    return (isChanging ? decodeValue(column, key[index], modes) : key[index]) as KeyValue
  })
}

function decodeJson(column: ResultColumn, value: unknown, row: object): unknown {
  const kept = keptTextsOf(row)
  const text = kept?.texts.get(column.name)
  if (text === undefined) return value
  if (kept?.mode === 'text') return text
  const number = inexactNumber(text)
  if (number === undefined) return value
  const shown = number.length <= SHOWN_MAX ? number : `${number.slice(0, SHOWN_MAX)}…`
  throw clientError('json_number_inexact', {
    message: `${column.name} holds ${shown}, which no number is: connect with json: 'text'.`,
    fields: { column: column.name, value: shown },
  })
}

/** Digits of a number that an error shows. */
const SHOWN_MAX = 100

/** Throws `integer_out_of_range`, and `invalid_answer` for what is no value of the column's type. */
function decodeValue(column: ResultColumn, value: unknown, modes: ValueModes): unknown {
  if (column.type === 'BYTES') {
    try {
      return base64ToBytes(value as string)
    } catch (cause) {
      throw notOfType(column, value, cause)
    }
  }
  if (column.type === 'DECIMAL') return modes.decimal?.(value as string)
  if (!isInteger(value)) throw notOfType(column, value)
  if (modes.integers === 'bigint') return BigInt(value)
  if (typeof value === 'number') return value
  const number = Number(value)
  if (Number.isSafeInteger(number)) return number
  throw clientError('integer_out_of_range', {
    message: `${column.name} is ${value}, no safe number: connect with integers: 'bigint'.`,
    fields: { column: column.name, value },
  })
}

function isInteger(value: unknown): value is number | string {
  return Number.isInteger(value) || (typeof value === 'string' && /^-?\d+$/.test(value))
}

function notOfType({ name, type }: ResultColumn, value: unknown, cause?: unknown) {
  const words = String(value).slice(0, 100)
  return clientError('invalid_answer', {
    message: `The answer has ${JSON.stringify(words)} for ${name}, which is no ${type}.`,
    fields: { column: name },
    cause,
  })
}

// `Uint8Array.fromBase64` is younger than some of the runtimes that this client serves.
function base64ToBytes(text: string): Uint8Array {
  if (typeof text !== 'string') throw new TypeError('No text.')
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}
