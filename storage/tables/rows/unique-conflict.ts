// SPDX-License-Identifier: Apache-2.0

import { StorageError } from '../../errors.ts'
import { type IndexDefinition, partName, type TableDefinition } from '../table-definition.ts'

/** A change that would give a unique index two entries for the same values. */
export type UniqueConflict = {
  readonly index: IndexDefinition
  /** The key of the entry that is there already. */
  readonly entry: Uint8Array
}

/** The error of a statement that does not pass over conflicts, and which of its changes meets one. */
export function uniqueViolation(
  table: TableDefinition,
  { index }: UniqueConflict,
  change: number,
): StorageError {
  const columns = index.parts.map((part) => partName(table, part))
  const names = columns.map((name) => `"${name}"`).join(', ')
  return new StorageError(
    'unique_violation',
    `The table "${table.name}" has another row with these values of ${names}, and the index "${index.name}" is unique.`,
    { table: table.name, index: index.name, columns, change },
  )
}
