// SPDX-License-Identifier: Apache-2.0
import type { SqlValue } from '../../storage/values/values.ts'
import { lengthOf } from '../expressions/value-work.ts'
import type { WorkMeter } from '../expressions/work-meter.ts'

/** A text of so many characters is a copy in any case; a longer one may be a part of a text that it keeps alive. */
const COPIED_CHARACTERS = 12

/** The value in memory of its own: what is kept of a row must not keep the row. */
export function keptValue(value: SqlValue, work: WorkMeter): SqlValue {
  const length = lengthOf(value)
  if (typeof value === 'string' ? length <= COPIED_CHARACTERS : length === 0) return value
  work.spend(length)
  return typeof value === 'string'
    ? Buffer.from(value).toString()
    : Uint8Array.from(value as Uint8Array)
}
