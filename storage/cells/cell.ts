// SPDX-License-Identifier: Apache-2.0

/**
 * The data model of the cell store, which is Bigtable's (Percolator 2.1): a value is addressed by
 * row key, column (family and qualifier) and timestamp.
 *
 *     row 01 … "bob"    data   "0"  @5 -> "balance 10"
 *                       write  "0"  @6 -> "committed, see data@5"
 *                       lock   "0"  @7 -> "being written by the transaction that started at 7"
 */

/** Microseconds since 1970, handed out strictly increasing by the timestamp oracle. An exact integer. */
export type Timestamp = number

/**
 * The column families, each a separate locality group: a scan of `lock` touches locked rows only. Percolator 2.2 calls
 * them the columns c:data, c:lock, c:write and c:notify; `rollback` holds the rollback records and `guard` the commit
 * stamps of locks that carried no value.
 */
export const FAMILIES = ['data', 'lock', 'write', 'rollback', 'guard', 'notify'] as const
export type Family = (typeof FAMILIES)[number]

/** One value at row, column and timestamp; the row key is in the {@link Row} that has it. */
export type Cell = {
  readonly family: Family
  readonly qualifier: string
  readonly timestamp: Timestamp
  readonly value: Uint8Array
}

/**
 * The cells that a filter left of one row. They are ordered by family (as in `FAMILIES`), then qualifier (by UTF-8
 * bytes), then timestamp, newest first.
 */
export type Row = {
  readonly key: Uint8Array
  readonly cells: readonly Cell[]
}
