// SPDX-License-Identifier: Apache-2.0
import { STORAGE_LIMITS } from '../limits.ts'
import { FAMILIES, type Family } from './cell.ts'
import {
  CellStoreError,
  type CellStoreLimits,
  type Increment,
  type RowScan,
  type RowStep,
} from './cell-store.ts'
import type { Mutation } from './mutation.ts'
import type { Note } from './note.ts'
import type { RowFilter } from './row-filter.ts'

/**
 * The bounds of the engines that run inside this process. A row key may be somewhat longer than the 4 KiB that tables
 * allow, because key spaces and encodings add bytes.
 */
export const EMBEDDED_LIMITS: CellStoreLimits = Object.freeze({
  rowKeyBytesMax: 4 * 1024 + 256,
  cellBytesMax: 16 * 1024 * 1024,
  mutationsPerRowMax: 100_000,
  timestampMax: Number.MAX_SAFE_INTEGER,
  inlineValueBytesMax: STORAGE_LIMITS.inlineValueBytesMax,
})

const INT64_MAX = 2n ** 63n - 1n

// A call is checked completely before any of it takes effect. So an invalid call fails alone, even if the engine
// carries out many calls together.

export function checkRowKey(key: Uint8Array, { rowKeyBytesMax: max }: CellStoreLimits): void {
  checkReadKey(key)
  if (key.length > max) {
    throw invalid(`A row key has at most ${max} bytes; this one has ${key.length}.`)
  }
}

/** A key that is too long for a row is not wrong to read: no row has it. */
export function checkReadKey(key: Uint8Array): void {
  if (key.length === 0) throw invalid('A row key has at least one byte.')
}

export function checkStep(
  { row, when, ifMatched, otherwise }: RowStep,
  limits: CellStoreLimits,
): void {
  checkRowKey(row, limits)
  if (when.length > 0) checkFilter(when)
  if (ifMatched.length > 0) checkMutations(ifMatched, limits)
  checkMutations(otherwise, limits)
}

export function checkNote({ timestamp, value }: Note, limits: CellStoreLimits): void {
  checkTimestamp(timestamp, limits.timestampMax)
  checkValue(value, limits)
}

/** Empty ranges are allowed and select nothing; bounds that are not timestamps are refused. */
export function checkFilter(filter: RowFilter): void {
  for (const selector of filter) {
    checkColumn(selector)
    if (selector.timestamps !== undefined) checkTimestampRange(selector.timestamps)
    if (selector.newest !== undefined && !isCount(selector.newest, 1)) {
      throw invalid(`'newest' is a whole number from 1; this one is ${selector.newest}.`)
    }
  }
}

export function checkMutations(mutations: readonly Mutation[], limits: CellStoreLimits): void {
  const { mutationsPerRowMax, timestampMax } = limits
  if (mutations.length > mutationsPerRowMax) {
    throw invalid(
      `A row takes at most ${mutationsPerRowMax} mutations; here are ${mutations.length}.`,
    )
  }
  for (const mutation of mutations) {
    checkColumn(mutation)
    if (mutation.kind === 'deleteFromColumn') {
      checkTimestampRange(mutation.timestamps)
      continue
    }
    checkTimestamp(mutation.timestamp, timestampMax)
    checkValue(mutation.value, limits)
  }
}

export function checkIncrements(increments: readonly Increment[]): void {
  for (const increment of increments) {
    checkColumn(increment)
    for (const number of [increment.by, increment.towards ?? 0n]) {
      const fits = number >= -INT64_MAX - 1n && number <= INT64_MAX
      if (!fits) throw invalid(`An increment fits 64 bits; ${number} does not.`)
    }
  }
}

export function checkScan(scan: RowScan): void {
  checkFilter(scan.filter)
  if (scan.limit !== undefined && !isCount(scan.limit, 0)) {
    throw invalid(`'limit' is a whole number from 0; this one is ${scan.limit}.`)
  }
}

/** Half a surrogate pair has no UTF-8, so two such qualifiers could become the same bytes. */
function checkColumn(column: { readonly family: Family; readonly qualifier?: string }): void {
  const { family, qualifier } = column
  if (!FAMILIES.includes(family)) {
    throw invalid(`There is no column family ${JSON.stringify(family)}.`)
  }
  if (qualifier?.isWellFormed() === false) {
    throw invalid(`Qualifier ${JSON.stringify(qualifier)} is not well-formed.`)
  }
}

function checkValue({ length }: Uint8Array, { cellBytesMax }: CellStoreLimits): void {
  if (length > cellBytesMax) {
    throw invalid(`A cell has at most ${cellBytesMax} bytes; this one has ${length}.`)
  }
}

function checkTimestampRange(range: { readonly from?: number; readonly until?: number }): void {
  if (range.from !== undefined) checkTimestamp(range.from)
  if (range.until !== undefined) checkTimestamp(range.until)
}

/** Bounds of ranges may lie above the largest timestamp that the engine keeps. */
function checkTimestamp(timestamp: number, max = Number.MAX_SAFE_INTEGER): void {
  const isTimestamp = Number.isSafeInteger(timestamp) && timestamp >= 0 && timestamp <= max
  if (!isTimestamp) throw invalid(`${timestamp} is not a timestamp.`)
}

function isCount(value: number, smallest: number): boolean {
  return Number.isSafeInteger(value) && value >= smallest
}

/** Called only for an invalid call: every write is checked here, and building a message costs more than the check. */
export function invalid(message: string): CellStoreError {
  return new CellStoreError('invalid', message)
}
