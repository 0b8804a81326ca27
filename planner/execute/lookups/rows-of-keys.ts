// SPDX-License-Identifier: Apache-2.0
import type { Position } from '../../../parser/ast.ts'
import { andThen, type MaybePromise } from '../../../storage/storage.ts'
import {
  getRows,
  getUniqueEntries,
  type SqlRow,
  type StoredRow,
} from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import type { Scope } from '../../expressions/compiled-expression.ts'
import type { PlannedLookup } from '../../plan/plan.ts'
import type { BatchSize } from '../rows/batch-size.ts'
import type { ExecutionContext, LookupFigures } from '../rows/execution-context.ts'
import { meetsRule } from '../rows/row-visibility.ts'
import { rowsOfUniqueEntries } from '../rows/rows-by-keys.ts'

/** What rows are looked up with. */
export type LookingUp = {
  readonly scope: Scope
  readonly context: ExecutionContext
  /** Of the statement, for errors. */
  readonly position: Position
  /** How many rows are needed; more are looked at where some of them are left out. */
  readonly rowsWanted?: number
}

/** The values of keys, by their encoded form. */
export type RequestedKeys = Map<string, readonly SqlValue[]>

/** The rows that are there, by the encoded form of the keys that were asked for. */
export type FoundRows = ReadonlyMap<string, SqlRow>

/** One multi-get for all keys, or two by a unique index whose entries do not hold all that is read. */
export function rowsOfKeys(
  lookup: PlannedLookup,
  { scope, context, position }: LookingUp,
  request: RequestedKeys,
  size: BatchSize,
): MaybePromise<FoundRows> {
  if (request.size === 0) return new Map()
  const figures = context.lookupFigures?.[lookup.number]
  return andThen(rowsThere(lookup, context, [...request.values()], figures), (rows) => {
    size.learn(rows)
    const found = new Map<string, SqlRow>()
    let next = 0
    for (const key of request.keys()) {
      const row = rows[next++]?.row
      if (row === undefined) continue
      if (figures !== undefined) figures.rows += 1
      scope.work.beginRow(position)
      if (meetsRule(lookup, row, scope)) found.set(key, row)
    }
    if (figures !== undefined) figures.keys += request.size
    return found
  })
}

type RowThere = Pick<StoredRow, 'key' | 'row'> | null

function rowsThere(
  { table, key: { index }, reads, covering }: PlannedLookup,
  { transaction }: ExecutionContext,
  keys: ReadonlyArray<readonly SqlValue[]>,
  figures: LookupFigures | undefined,
): MaybePromise<RowThere[]> {
  if (figures !== undefined) figures.roundTrips += 1
  if (index === undefined) return getRows(transaction, table, keys, reads)
  return andThen(
    getUniqueEntries(transaction, table, index, keys),
    (entries): MaybePromise<RowThere[]> => {
      if (covering || entries.every((entry) => entry === null)) return entries
      if (figures !== undefined) figures.roundTrips += 1
      return rowsOfUniqueEntries(transaction, table, entries, reads)
    },
  )
}
