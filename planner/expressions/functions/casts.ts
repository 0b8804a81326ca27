// SPDX-License-Identifier: Apache-2.0
import type { Position, TypeName } from '../../../parser/ast.ts'
import { bufferOf } from '../../../storage/storage.ts'
import {
  canonicalNumber,
  DAY_MICROS,
  Decimal,
  dateOfTimestamp,
  kindAt,
  type SqlType,
  type SqlValue,
} from '../../../storage/values/values.ts'
import { readDecimal } from '../../json/decimal-text.ts'
import { checkedInteger, valueFromJson, valueFromText } from '../../json/json-value.ts'
import { dateToText, timestampToText } from '../../json/timestamp-text.ts'
import { PlanError } from '../../plan-error.ts'
import type { ExpressionType } from '../compiled-expression.ts'
import { castDecimal, roundedDecimal } from '../decimal-arithmetic.ts'
import { checkedTimestamp, finite } from '../expression-arithmetic.ts'
import { typeMismatch } from '../type-check.ts'
import { JSON_UNITS, lengthOf } from '../value-work.ts'
import { NODE_UNITS, type WorkMeter } from '../work-meter.ts'

/** A value that is not NULL as one of another type; throws PlanError with the place of the cast. */
export type Conversion = (value: SqlValue, work: WorkMeter) => SqlValue

type Converter = (value: SqlValue, position: Position, work: WorkMeter) => SqlValue

/** What a character of a text costs that is taken apart. */
const PARSED_UNITS = 4

/** Throws PlanError type_mismatch for types of which none becomes the other. */
export function conversionOf(from: ExpressionType, { text, size, position }: TypeName): Conversion {
  const convert = plainConversion(from, text as SqlType, position)
  if (size === undefined || from === 'NULL') return convert
  return (value, work) => castDecimal(convert(value, work) as Decimal, size, { position })
}

function plainConversion(from: ExpressionType, to: SqlType, position: Position): Conversion {
  if (from === to || from === 'NULL') return (value) => value
  const convert = to === 'JSON' && from !== 'TEXT' ? jsonOf(from) : CONVERTERS[to][from]
  if (convert === undefined) throw typeMismatch(`${from} has no cast to ${to}.`, position)
  return (value, work) => {
    work.spend(NODE_UNITS)
    return convert(value, position, work)
  }
}

/** The value as JSON, as it is on the wire: TEXT becomes a string. */
export function toJsonOf(from: SqlType): Conversion {
  const convert = jsonOf(from)
  return (value, work) => convert(value, NOWHERE, work)
}

const NOWHERE = { line: 1, column: 1, offset: 0 }

const CONVERTERS: Readonly<
  Record<SqlType, { readonly [From in ExpressionType]?: Converter | undefined }>
> = {
  TEXT: {
    INTEGER: (value) => String(value),
    DECIMAL: textOfDecimal,
    REAL: (value) => String(value),
    BOOLEAN: (value) => String(value),
    TIMESTAMP: (value) => timestampToText(value as bigint),
    DATE: (value) => dateToText(value as bigint),
    JSON: (value) => value,
    BYTES: (value, _position, work) => {
      work.spend(2 * lengthOf(value))
      return bufferOf(value as Uint8Array).toString('base64')
    },
  },
  INTEGER: {
    TEXT: (value, position, work) => {
      const text = parsed(value, work)
      if (/^[+-]?\d{1,20}$/.test(text))
        return checkedInteger(BigInt(text.replace('+', '')), { position })
      throw notOne(text, 'INTEGER', position)
    },
    REAL: (value, position) => {
      const size = Math.round(Math.abs(value as number))
      return checkedInteger(BigInt((value as number) < 0 ? -size : size), { position })
    },
    DECIMAL: (value, position) =>
      checkedInteger(roundedDecimal(value as Decimal, 0, 'nearest').units, { position }),
    BOOLEAN: (value) => (value === true ? 1n : 0n),
    TIMESTAMP: (value) => value,
    JSON: (value, position, work) => {
      const number = scalar(value, { kind: 'number', type: 'INTEGER', position }, work)
      return checkedInteger(wholeOf(number, position), { position })
    },
  },
  DECIMAL: {
    INTEGER: (value) => new Decimal(value as bigint, 0),
    // So many digits a REAL has for certain: 0.1 + 0.2 is 0.3.
    REAL: (value, position) =>
      decimalOf(String(Number((value as number).toPrecision(REAL_DIGITS))), position),
    TEXT: (value, position, work) => decimalOf(parsed(value, work), position),
    JSON: (value, position, work) =>
      decimalOf(scalar(value, { kind: 'number', type: 'DECIMAL', position }, work), position),
  },
  REAL: {
    INTEGER: (value) => Number(value),
    DECIMAL: (value, position, work) =>
      finite(Number(textOfDecimal(value, position, work)), position),
    TEXT: (value, position, work) => {
      const text = parsed(value, work)
      if (REAL_TEXT.test(text)) return finite(Number(text), position)
      throw notOne(text, 'REAL', position)
    },
    JSON: (value, position, work) =>
      finite(Number(scalar(value, { kind: 'number', type: 'REAL', position }, work)), position),
  },
  BOOLEAN: {
    INTEGER: (value) => value !== 0n,
    TEXT: (value, position, work) => {
      const text = parsed(value, work)
      if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true'
      throw notOne(text, 'BOOLEAN', position)
    },
    JSON: (value, position, work) =>
      scalar(value, { kind: 'boolean', type: 'BOOLEAN', position }, work) === 'true',
  },
  DATE: {
    TEXT: (value, position, work) => valueFromJson('DATE', parsed(value, work), { position }),
    TIMESTAMP: (value) => dateOfTimestamp(value as bigint),
    JSON: (value, position, work) => ofString(value, { type: 'DATE', position }, work),
  },
  TIMESTAMP: {
    DATE: (value) => (value as bigint) * DAY_MICROS,
    INTEGER: (value, position) => checkedTimestamp(value as bigint, position),
    TEXT: (value, position, work) => valueFromJson('TIMESTAMP', parsed(value, work), { position }),
    JSON: (value, position, work) => ofString(value, { type: 'TIMESTAMP', position }, work),
  },
  BYTES: {
    TEXT: (value, position, work) => valueFromJson('BYTES', parsed(value, work), { position }),
    JSON: (value, position, work) => ofString(value, { type: 'BYTES', position }, work),
  },
  JSON: {
    TEXT: (value, position, work) => {
      work.spend(JSON_UNITS * lengthOf(value))
      return valueFromText('JSON', value as string, { position })
    },
  },
}

function jsonOf(from: ExpressionType): Converter {
  switch (from) {
    case 'DECIMAL':
      return textOfDecimal
    case 'INTEGER':
    case 'REAL':
    case 'BOOLEAN':
      return (value) => String(value)
    case 'JSON':
      return (value) => value
    default:
      return (value, position, work) => {
        const text = CONVERTERS.TEXT[from]?.(value, position, work) ?? value
        work.spend(PARSED_UNITS * lengthOf(text))
        return JSON.stringify(text)
      }
  }
}

const REAL_DIGITS = 15

function decimalOf(text: string, position: Position): Decimal {
  const decimal = readDecimal(text, { position })
  if (decimal === undefined) throw notOne(text, 'DECIMAL', position)
  return decimal
}

function textOfDecimal(value: SqlValue, _position: Position, work: WorkMeter): string {
  work.spend(PARSED_UNITS * lengthOf(value))
  return String(value)
}

/** On one side of the point there may be no digits. */
const REAL_TEXT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

function parsed(value: SqlValue, work: WorkMeter): string {
  work.spend(PARSED_UNITS * lengthOf(value))
  return value as string
}

type Wanted = {
  readonly kind: 'number' | 'boolean' | 'string'
  readonly type: SqlType
  readonly position: Position
}

/** The text of a JSON value of that kind. Throws PlanError type_mismatch for another kind. */
function scalar(value: SqlValue, { kind, type, position }: Wanted, work: WorkMeter): string {
  const text = parsed(value, work).trim()
  const actual = kindAt(text, 0)
  if (actual === kind) return text
  throw new PlanError('type_mismatch', `A JSON ${actual} is no ${type}: it takes a ${kind}.`, {
    position,
    fields: { expected: type, actual: 'JSON' },
    hint: actual === 'string' ? 'A string is read as TEXT by ->>, and that has a cast.' : undefined,
  })
}

function ofString(value: SqlValue, wanted: Omit<Wanted, 'kind'>, work: WorkMeter): SqlValue {
  const text = scalar(value, { ...wanted, kind: 'string' }, work)
  return valueFromJson(wanted.type, JSON.parse(text), wanted)
}

/** The whole number that is nearest to the decimal; a half goes away from zero. */
function wholeOf(number: string, position: Position): bigint {
  const canonical = canonicalNumber(number)
  const [, sign = '', digits = '0', exponent = '0'] =
    /^(-?)(\d+)(?:e(-?\d+))?$/.exec(canonical) ?? []
  const shift = Number(exponent)
  const before = digits.length + shift
  // Far more than 64 bits hold.
  if (before > 20)
    throw new PlanError('out_of_range', 'The number is outside the 64 bits of an INTEGER.', {
      position,
    })
  const whole = BigInt(before <= 0 ? '0' : digits.slice(0, before).padEnd(before, '0'))
  const isUp = before >= 0 && Number(digits.charAt(before) || '0') >= 5
  const size = isUp ? whole + 1n : whole
  return sign === '-' ? -size : size
}

/** Characters of a text that an error shows. */
const SHOWN_MAX = 40

function notOne(text: string, type: SqlType, position: Position): PlanError {
  const shown = text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX).toWellFormed()}…` : text
  return typeMismatch(`The text '${shown}' is no ${type}.`, position)
}
