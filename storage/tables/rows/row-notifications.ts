// SPDX-License-Identifier: Apache-2.0
import type { Transaction } from '../../transactions/transaction.ts'
import type { SqlValue } from '../../values/sql-type.ts'
import { encodePrimaryKey } from '../bytes/key-encoding.ts'
import { keyOfRow } from '../bytes/row-codec.ts'
import { isDue, isWatched } from '../due-index.ts'
import type { ObserverDefinition, TableDefinition } from '../table-definition.ts'
import type { RowChange } from './index-maintenance.ts'

/**
 * Whom a change of a row concerns (Percolator 2.4): every observer of the table when the row comes or
 * goes or is written as a whole, and of a SET those that name one of its columns, whether or not its
 * value is another one now.
 *
 *     onBody (body), onVisits (visits)      INSERT, DELETE             both
 *                                           SET visits = visits + 1    onVisits
 *
 * One with DUE waits for the time of the row: `dueIndexOf`.
 */
function observersOf(
  table: TableDefinition,
  { columns }: RowChange,
): readonly ObserverDefinition[] {
  const { observers } = table
  return observers.filter(
    (observer) =>
      !isDue(observer) && (columns === undefined || isWatched(table, observer, columns)),
  )
}

/** Tells them, with the change and in the same transaction. */
export function notifyOfChange(
  transaction: Pick<Transaction, 'notify'>,
  table: TableDefinition,
  change: RowChange,
): void {
  const observers = observersOf(table, change)
  if (observers.length === 0) return
  const key = encodePrimaryKey(table, keyOfRow(table, change.after ?? change.before))
  for (const { id, isWeak } of observers) {
    transaction.notify(key, id, isWeak ? 'weak' : 'strong')
  }
}

/**
 * Tells a weak observer of a row, whether or not it has changed or exists. Only dropping the observer conflicts with
 * that.
 */
export function notifyObserver(
  transaction: Pick<Transaction, 'notify' | 'dependOnSchema'>,
  table: TableDefinition,
  { id }: ObserverDefinition,
  keyValues: readonly SqlValue[],
): void {
  transaction.dependOnSchema(table.id)
  transaction.notify(encodePrimaryKey(table, keyValues), id, 'weak')
}
