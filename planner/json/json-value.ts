// SPDX-License-Identifier: Apache-2.0
import type { Position } from '../../parser/ast.ts'
import { bufferOf } from '../../storage/storage.ts'
import { isIntegerInRange, type SqlType, type SqlValue } from '../../storage/values/values.ts'
import { PlanError } from '../plan-error.ts'
import { readDecimal } from './decimal-text.ts'
import { jsonOfText, textOfJson } from './json-object.ts'
import { JsonSource } from './json-source.ts'
import { ExactJson } from './sourced-json.ts'
import {
  dateFromText,
  dateToText,
  timestampFromText,
  timestampHint,
  timestampToText,
} from './timestamp-text.ts'

/**
 * SQL values as JSON, typed by the column and never by tags: INTEGER is a number within ±(2^53−1)
 * and a decimal string beyond, DECIMAL always a string of its digits, BYTES are base64, TIMESTAMP and DATE are ISO
 * text, JSON is itself, with `JSON.rawJSON` for each number that a double cannot hold. Reading what was written gives
 * the same value, for every type.
 */

/** `string` writes every INTEGER as a decimal string, so that its JSON type never varies. */
export type IntegerForm = 'number' | 'string'

export function valueToJson(
  type: SqlType,
  value: SqlValue,
  options: { readonly integers?: IntegerForm } = {},
): unknown {
  return value === null ? null : jsonOf(type, options.integers)(value)
}

type JsonOf = (value: Exclude<SqlValue, null>) => unknown

/** What `valueToJson` makes of values of this type. */
export function jsonOf(type: SqlType, integers: IntegerForm = 'number'): JsonOf {
  return type === 'INTEGER' && integers === 'string' ? String : JSON_OF[type]
}

const JSON_OF: Readonly<Record<SqlType, JsonOf>> = {
  TEXT: (value) => value,
  BOOLEAN: (value) => value,
  REAL: (value) => value,
  INTEGER: (value) => {
    const integer = value as bigint
    const isExact = integer >= Number.MIN_SAFE_INTEGER && integer <= Number.MAX_SAFE_INTEGER
    return isExact ? Number(integer) : integer.toString()
  },
  DECIMAL: String,
  BYTES: (value) => bufferOf(value as Uint8Array).toString('base64'),
  TIMESTAMP: (value) => timestampToText(value as bigint),
  DATE: (value) => dateToText(value as bigint),
  JSON: (value) => jsonOfText(value as string),
}

/**
 * The value of that type which the JSON stands for. JSON null is NULL, also for a JSON column, which
 * therefore never holds a null of its own. Throws PlanError type_mismatch or out_of_range with the
 * position given.
 */
export function valueFromJson(
  type: SqlType,
  json: unknown,
  where: { readonly position?: Position } = {},
): SqlValue {
  if (json === null || json === undefined) return null
  switch (type) {
    case 'TEXT':
      if (typeof json === 'string' && json.isWellFormed()) return json
      break
    case 'BOOLEAN':
      if (typeof json === 'boolean') return json
      break
    case 'REAL':
      if (typeof json !== 'number') break
      if (Number.isFinite(json)) return json === 0 ? 0 : json
      throw new PlanError('out_of_range', 'The number is too large for REAL.', where)
    case 'INTEGER':
      if (typeof json === 'number') return integerFromNumber(json, where)
      if (typeof json === 'string' && INTEGER_TEXT.test(json)) {
        return checkedInteger(BigInt(json), where)
      }
      break
    case 'DECIMAL': {
      if (typeof json !== 'number' && typeof json !== 'string') break
      const decimal = readDecimal(String(json), where)
      if (decimal !== undefined) return decimal
      break
    }
    case 'BYTES': {
      const bytes = typeof json === 'string' ? bytesFromBase64(json) : undefined
      if (bytes !== undefined) return bytes
      break
    }
    case 'TIMESTAMP': {
      const micros = typeof json === 'string' ? timestampFromText(json) : undefined
      if (micros !== undefined) return micros
      break
    }
    case 'DATE': {
      const days = typeof json === 'string' ? dateFromText(json) : undefined
      if (days !== undefined) return days
      break
    }
    case 'JSON':
      return json instanceof ExactJson ? json.text : placed(where, () => textOfJson(json))
  }
  throw mismatch(type, json, where)
}

/** Types whose values are written as texts. */
export type TextualType = 'DECIMAL' | 'TIMESTAMP' | 'DATE' | 'JSON' | 'BYTES'

const TEXTUAL: ReadonlySet<string> = new Set<TextualType>([
  ...(['DECIMAL', 'TIMESTAMP', 'DATE', 'JSON', 'BYTES'] as const),
])

export function isTextual(type: string | undefined): type is TextualType {
  return TEXTUAL.has(type ?? '')
}

/** The value of a text literal that stands where one of these is wanted. */
export function valueFromText(
  type: TextualType,
  text: string,
  where: { readonly position?: Position },
): SqlValue {
  if (type !== 'JSON') return valueFromJson(type, text, where)
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : ''
    throw new PlanError('type_mismatch', `The text is not JSON: ${reason}`, where)
  }
  if (parsed === null) return null
  const object = typeof parsed === 'object' ? parsed : undefined
  return placed(where, () => JsonSource.of(text).exact(object))
}

/** Adds the place in the statement to the place in the JSON. */
function placed<T>(where: { readonly position?: Position }, convert: () => T): T {
  try {
    return convert()
  } catch (error) {
    if (!(error instanceof PlanError) || where.position === undefined) throw error
    const { fields, hint } = error
    throw new PlanError(error.code, error.message, {
      position: where.position,
      fields,
      hint,
    })
  }
}

export function checkedInteger(
  value: bigint,
  where: { readonly position?: Position } = {},
): bigint {
  if (isIntegerInRange(value)) return value
  throw new PlanError('out_of_range', 'The number is outside the 64 bits of an INTEGER.', where)
}

/** Sign and at most twenty digits, so that a long text costs no long conversion. */
const INTEGER_TEXT = /^-?\d{1,20}$/

function integerFromNumber(json: number, where: { readonly position?: Position }): bigint {
  if (Number.isSafeInteger(json)) return BigInt(json)
  if (!Number.isInteger(json)) throw mismatch('INTEGER', json, where)
  throw new PlanError('out_of_range', 'The number is beyond ±(2^53−1), where JSON is inexact.', {
    ...where,
    hint: 'Send the INTEGER as a decimal string.',
  })
}

function bytesFromBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64')
  const canonical = bytes.toString('base64')
  // Node skips what is no base64; only a text that comes back whole was one. Padding may be absent.
  const same = canonical === text || canonical.replaceAll('=', '') === text
  return same ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length) : undefined
}

const EXPECTED: Readonly<Record<SqlType, string>> = {
  TEXT: 'a well-formed string',
  INTEGER: 'a whole number, or its digits as a string',
  DECIMAL: 'a number, or its digits as a string',
  REAL: 'a number',
  BOOLEAN: 'true or false',
  BYTES: 'a base64 string',
  TIMESTAMP: 'an ISO string such as 2026-01-31T12:00:00Z, with Z or an offset',
  DATE: 'a day such as 2026-01-31',
  JSON: 'any JSON value',
}

function mismatch(
  type: SqlType,
  json: unknown,
  where: { readonly position?: Position },
): PlanError {
  const given =
    typeof json === 'number' || typeof json === 'boolean'
      ? String(json)
      : Array.isArray(json)
        ? 'an array'
        : `${aOrAn(typeof json)} ${typeof json}`
  const shown = typeof json === 'string' && json.length <= 40 ? ` (${JSON.stringify(json)})` : ''
  const hint =
    (type === 'TIMESTAMP' || type === 'DATE') && typeof json === 'string'
      ? timestampHint(json)
      : type === 'INTEGER' && FRACTION.test(String(json))
        ? 'A number with a fraction is a REAL, or exactly a DECIMAL.'
        : undefined
  return new PlanError(
    'type_mismatch',
    `${type} wants ${EXPECTED[type]}, not ${given}${shown}.`,
    hint === undefined ? where : { ...where, hint },
  )
}

const FRACTION = /^[+-]?\d{0,20}\.\d{1,20}$/

function aOrAn(noun: string): string {
  return /^[aeiou]/.test(noun) ? 'an' : 'a'
}
