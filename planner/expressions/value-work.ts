// SPDX-License-Identifier: Apache-2.0
import { compareValues, type SqlType, type SqlValue } from '../../storage/values/values.ts'
import { identityOf } from './value-identity.ts'
import type { WorkMeter } from './work-meter.ts'

/** What a character of JSON costs that is brought into its canonical form, which parses and sorts it. */
export const JSON_UNITS = 40

/** Bytes of BYTES, characters of TEXT and JSON; other values are so short that their node pays for them. */
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
