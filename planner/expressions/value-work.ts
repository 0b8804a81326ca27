// SPDX-License-Identifier: Apache-2.0

import type { Expression } from '../../parser/ast.ts'
import { bufferOf } from '../../storage/storage.ts'
import {
  canonicalDecimal,
  canonicalJson,
  compareValues,
  type Decimal,
  type SqlType,
  type SqlValue,
} from '../../storage/values/values.ts'
import type { WorkMeter } from './work-meter.ts'

/** What a character of JSON costs that is brought into its canonical form, which parses and sorts it. */
export const JSON_UNITS = 40

/**
 * Bytes of BYTES, characters of TEXT and JSON, and what a DECIMAL has beyond 19 digits; other values are so short that
 * their node pays for them.
 */
export function lengthOf(value: SqlValue): number {
  if (typeof value === 'string') return value.length
  return typeof value === 'object' && value !== null ? value.length : 0
}

export type Comparison = (a: SqlValue, b: SqlValue, work: WorkMeter) => number

/** `compareValues` of this type, paid for; without NULL. */
export function comparisonOf(type: SqlType): Comparison {
  switch (type) {
    case 'TEXT':
    case 'BYTES':
    case 'DECIMAL':
      return (a, b, work) => {
        work.spend(Math.min(lengthOf(a), lengthOf(b)))
        return compareValues(type, a, b)
      }
    case 'JSON':
      return (a, b, work) => {
        work.spend((lengthOf(a) + lengthOf(b)) * JSON_UNITS)
        return compareValues(type, a, b)
      }
    default:
      return (a, b) => compareValues(type, a, b)
  }
}

/** `identityOf`, paid for. */
export function paidIdentityOf(type: SqlType, value: SqlValue, work: WorkMeter): SqlValue {
  const length = lengthOf(value)
  if (length > 0) work.spend(type === 'JSON' ? length * JSON_UNITS : length)
  return identityOf(type, value)
}

const SMALLEST = BigInt(Number.MIN_SAFE_INTEGER)
const GREATEST = BigInt(Number.MAX_SAFE_INTEGER)

/** Equal exactly when the values (of one type) are; NULL is equal to itself here, and usable in a Set. */
export function identityOf(type: SqlType, value: SqlValue): SqlValue {
  if (value === null) return null
  // A table of hashes finds a number several times as fast, and no two values share one.
  if (typeof value === 'bigint') {
    return value >= SMALLEST && value <= GREATEST ? Number(value) : value
  }
  if (type === 'DECIMAL') return canonicalDecimal(value as Decimal)
  if (type === 'JSON') return canonicalJson(value as string)
  if (type !== 'BYTES') return value
  return identityOfBytes(value as Uint8Array)
}

/** One character for each byte. */
export function identityOfBytes(bytes: Uint8Array): string {
  return bufferOf(bytes).toString('latin1')
}

const UNSTEADY: ReadonlySet<string> = new Set(['now', 'uuid'])

/**
 * What is wrong with a call that answers another thing each time, without a change of a row;
 * undefined for the rest.
 */
export function unsteadyCall(expression: Expression): string | undefined {
  if (expression.kind !== 'call' || !UNSTEADY.has(expression.function)) return undefined
  return `${expression.function}() has no lasting value, so no change tells when it is another.`
}
