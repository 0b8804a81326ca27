// SPDX-License-Identifier: Apache-2.0
import type { Family, Timestamp } from './cell.ts'

/**
 * Chooses cells of one row. The conditions are applied in the order of the fields, as a Bigtable chain would: first the
 * column, then the timestamps, then the newest `newest` of what is left of each column, then the values.
 */
export type CellSelector = {
  readonly family: Family
  /** Exactly this column; every column of the family when absent. */
  readonly qualifier?: string
  /** Inclusive lower and exclusive upper bound; an absent bound is open. */
  readonly timestamps?: { readonly from?: Timestamp; readonly until?: Timestamp }
  /** At most this many cells of each column, the newest ones. */
  readonly newest?: number
  /** Values in [start, end) by unsigned byte order; without `end`, everything from `start` on. */
  readonly values?: { readonly start: Uint8Array; readonly end?: Uint8Array }
}

/**
 * Every cell that at least one selector chooses, once. This is Bigtable's interleave of chains: its condition filter is
 * omitted on purpose, because it is not atomic with its own predicate.
 */
export type RowFilter = readonly CellSelector[]
