// SPDX-License-Identifier: Apache-2.0
import type { Family, Timestamp } from './cell.ts'

/** One change to one row. The mutations of a row are applied in their order and all or nothing. */
export type Mutation = SetCell | DeleteFromColumn

/** Writes the cell, replacing a cell at the same column and timestamp. */
export type SetCell = {
  readonly kind: 'setCell'
  readonly family: Family
  readonly qualifier: string
  readonly timestamp: Timestamp
  readonly value: Uint8Array
}

/** Deletes the cells of a column with timestamps in [from, until); an absent bound is open. */
export type DeleteFromColumn = {
  readonly kind: 'deleteFromColumn'
  readonly family: Family
  readonly qualifier: string
  readonly timestamps: { readonly from?: Timestamp; readonly until?: Timestamp }
}
