// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../storage/cells/cell.ts'
import type { CellSelector, RowFilter } from '../../storage/cells/row-filter.ts'
import type { WireFilter } from './bigtable-messages.ts'
import { wireTimestamps } from './timestamp-encoding.ts'

/**
 * An interleave of chains, outermost also where one chain would do: the emulators read a row as several images under a
 * chain. Undefined when no cell can be chosen. Selectors that differ in their column only become one chain, because a
 * predicate over 256 columns would else be too long for Bigtable.
 */
export function wireFilter(filter: RowFilter, timestampMax: Timestamp): WireFilter | undefined {
  const chains = new Map<string, { readonly columns: string[]; readonly selector: CellSelector }>()
  for (const selector of filter) {
    const { family, qualifier, ...conditions } = selector
    const key = `${family} ${qualifier !== undefined} ${conditionsText(conditions)}`
    const known = chains.get(key)
    const columns = known?.columns ?? []
    if (qualifier !== undefined && !columns.includes(qualifier)) columns.push(qualifier)
    if (known === undefined) chains.set(key, { columns, selector })
  }
  const filters = [...chains.values()].flatMap(({ columns, selector }) => {
    const conditions = wireConditions(selector, timestampMax)
    if (conditions === undefined) return []
    const chain = [...wireColumns(selector.family, columns), ...conditions]
    return chain.length === 1 ? chain : [{ chain: { filters: chain } }]
  })
  if (filters.length === 0) return undefined
  // An interleave of one is refused.
  if (filters.length === 1) filters.push({ blockAllFilter: true })
  return { interleave: { filters } }
}

function conditionsText({ timestamps, newest, values }: Omit<CellSelector, 'family'>): string {
  const { from, until } = timestamps ?? {}
  const value = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex')
  return JSON.stringify([from, until, newest, value(values?.start), value(values?.end)])
}

/** No columns: all of the family. */
function wireColumns(family: string, columns: readonly string[]): WireFilter[] {
  const [only] = columns
  if (only === undefined) return [{ familyNameRegexFilter: family }]
  if (columns.length > 1) {
    const pattern = columns.map(bytePattern).join('|')
    return [{ familyNameRegexFilter: family }, { columnQualifierRegexFilter: Buffer.from(pattern) }]
  }
  const qualifier = Buffer.from(only)
  const range = { startQualifierClosed: qualifier, endQualifierClosed: qualifier }
  return [{ columnRangeFilter: { familyName: family, ...range } }]
}

/** A pattern of exactly these bytes: whatever could mean more in a pattern is written as its number. */
function bytePattern(qualifier: string): string {
  let pattern = ''
  for (const byte of Buffer.from(qualifier)) {
    const character = String.fromCharCode(byte)
    pattern += /[A-Za-z0-9]/.test(character)
      ? character
      : `\\x${byte.toString(16).padStart(2, '0')}`
  }
  return pattern
}

/** In the order in which a selector applies them; undefined when one lets nothing through. */
function wireConditions(
  { timestamps, newest, values }: CellSelector,
  timestampMax: Timestamp,
): WireFilter[] | undefined {
  const conditions: WireFilter[] = []
  if (timestamps !== undefined) {
    const range = wireTimestamps(timestamps, timestampMax)
    if (range === undefined) return undefined
    if (Object.keys(range).length > 0) conditions.push({ timestampRangeFilter: range })
  }
  if (newest !== undefined) conditions.push({ cellsPerColumnLimitFilter: newest })
  if (values === undefined) return conditions
  const { start, end } = values
  if (end !== undefined && Buffer.compare(end, start) <= 0) return undefined
  if (start.length === 0 && end === undefined) return conditions
  const range = {
    ...(start.length === 0 ? {} : { startValueClosed: start }),
    ...(end === undefined ? {} : { endValueOpen: end }),
  }
  return [...conditions, { valueRangeFilter: range }]
}
