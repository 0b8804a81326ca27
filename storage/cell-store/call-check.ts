// SPDX-License-Identifier: Apache-2.0
import { FAMILIES, type Family } from './cell.ts'
import { CellStoreError, type CellStoreLimits, type Increment, type RowScan } from './cell-store.ts'
import type { RowStep } from './embedded-cell-store.ts'
import type { Mutation } from './mutation.ts'
import type { RowFilter } from './row-filter.ts'

/**
 * The bounds of the engines that run inside this process. A row key may be somewhat longer than the
 * 4 KiB that tables allow themselves, because spaces and encodings come on top.
 */
export const EMBEDDED_LIMITS: CellStoreLimits = Object.freeze({
  rowKeyBytesMax: 4 * 1024 + 256,
  cellBytesMax: 16 * 1024 * 1024,
  mutationsPerRowMax: 100_000,
})

const INT64_MAX = 2n ** 63n - 1n

/**
 * A call is checked whole before any of it takes effect. So a wrong call fails alone, also where the
 * engine carries out many calls together.
 */
export function checkRowKey(key: Uint8Array): void {
  require(key.length > 0, 'A row key has at least one byte.')
  require(key.length <=
    EMBEDDED_LIMITS.rowKeyBytesMax, `A row key has at most ${EMBEDDED_LIMITS.rowKeyBytesMax} bytes; this one has ${key.length}.`)
}

export function checkStep({ row, when, ifMatched, otherwise }: RowStep): void {
  checkRowKey(row)
  checkFilter(when)
  checkMutations(ifMatched)
  checkMutations(otherwise)
}

/** Empty ranges are allowed and choose nothing; bounds that are no timestamps are not. */
export function checkFilter(filter: RowFilter): void {
  for (const selector of filter) {
    checkFamily(selector.family)
    if (selector.qualifier !== undefined) checkQualifier(selector.qualifier)
    if (selector.timestamps !== undefined) checkTimestampRange(selector.timestamps)
    require(selector.newest === undefined ||
      isCount(
        selector.newest,
        1,
      ), `'newest' is a whole number from 1; this one is ${selector.newest}.`)
  }
}

export function checkMutations(mutations: readonly Mutation[]): void {
  require(mutations.length <=
    EMBEDDED_LIMITS.mutationsPerRowMax, `A row takes at most ${EMBEDDED_LIMITS.mutationsPerRowMax} mutations; here are ${mutations.length}.`)
  for (const mutation of mutations) {
    checkColumn(mutation)
    if (mutation.kind === 'deleteFromColumn') {
      checkTimestampRange(mutation.timestamps)
      continue
    }
    checkTimestamp(mutation.timestamp)
    require(mutation.value.length <=
      EMBEDDED_LIMITS.cellBytesMax, `A cell has at most ${EMBEDDED_LIMITS.cellBytesMax} bytes; this one has ${mutation.value.length}.`)
  }
}

export function checkIncrements(increments: readonly Increment[]): void {
  for (const increment of increments) {
    checkColumn(increment)
    const fits = increment.by >= -INT64_MAX - 1n && increment.by <= INT64_MAX
    require(fits, `An increment fits 64 bits; ${increment.by} does not.`)
  }
}

export function checkScan(scan: RowScan): void {
  checkFilter(scan.filter)
  require(scan.limit === undefined ||
    isCount(scan.limit, 0), `'limit' is a whole number from 0; this one is ${scan.limit}.`)
}

function checkColumn(column: { readonly family: Family; readonly qualifier: string }): void {
  checkFamily(column.family)
  checkQualifier(column.qualifier)
}

function checkFamily(family: Family): void {
  require(FAMILIES.includes(family), `There is no column family ${JSON.stringify(family)}.`)
}

/** Half a surrogate pair has no UTF-8, so two such qualifiers could become the same bytes. */
function checkQualifier(qualifier: string): void {
  require(qualifier.isWellFormed(), `Qualifier ${JSON.stringify(qualifier)} is not well-formed.`)
}

function checkTimestampRange(range: { readonly from?: number; readonly until?: number }): void {
  if (range.from !== undefined) checkTimestamp(range.from)
  if (range.until !== undefined) checkTimestamp(range.until)
}

function checkTimestamp(timestamp: number): void {
  require(isCount(timestamp, 0), `${timestamp} is not a timestamp.`)
}

function isCount(value: number, smallest: number): boolean {
  return Number.isSafeInteger(value) && value >= smallest
}

function require(holds: boolean, message: string): asserts holds {
  if (!holds) throw new CellStoreError('invalid', message)
}
