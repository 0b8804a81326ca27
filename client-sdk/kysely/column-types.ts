// SPDX-License-Identifier: Apache-2.0
import { NotInDialectError } from './refused-clauses.ts'

/** Types of other databases that Kysely knows, as they are here. */
const TYPES: ReadonlyArray<readonly [written: RegExp, type: string]> = [
  [/^(text|uuid|varchar|char)$/, 'text'],
  [/^(big|small|tiny|medium)?(int|integer|serial)$|^int[248]$/, 'integer'],
  [/^(real|double precision|float[48]?|double)$/, 'real'],
  [/^(boolean|bool|bit)$/, 'boolean'],
  [/^(bytea|blob|binary|varbinary|bytes)$/, 'bytes'],
  [/^(timestamp|timestamptz|datetime)$/, 'timestamp'],
  [/^date$/, 'date'],
  [/^jsonb?$/, 'json'],
]

/** How a column's type is written. Throws NotInDialectError for one that has no counterpart. */
export function columnTypeOf(written: string): string {
  const [begin = '', digits] = written.toLowerCase().split('(')
  const word = begin.trim()
  if (/^(decimal|numeric)$/.test(word)) {
    if (digits?.includes(',')) return written
    throw new NotInDialectError(`The type ${written}`, `it says both numbers: ${word}(18, 2)`)
  }
  const type = TYPES.find(([pattern]) => pattern.test(word))?.[1]
  if (type !== undefined) return type
  throw new NotInDialectError(
    `The type ${written}`,
    'text, integer, decimal(p, s), real, boolean, bytea, timestamp, date and json are there',
  )
}

/** Whether it counts by itself, as `serial` does. */
export function isSerial(written: string): boolean {
  return /serial$/i.test(written)
}
