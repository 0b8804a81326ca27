// SPDX-License-Identifier: Apache-2.0
import { identityOf, readIdentity, type TableDefinition } from '../../storage/storage.ts'
import { mayBeToldOfRows } from '../required-rights.ts'
import { createIndexText, createObserverTexts, createTableText } from './definition-text.ts'
import type { ExecutionContext, StatementResult } from './rows/execution-context.ts'
import { shownTable } from './shown-table.ts'

/**
 * SHOW CREATE TABLE: the statements that make the table, its indexes and its observers, in their order, one in each
 * row. An index that has failed is left out, since it would fail again. The identity of a table that is made so goes
 * on with the numbers that nobody has taken of this one, unless those who took them are hidden from whoever asks.
 */
export async function showCreateTable(
  table: TableDefinition,
  { catalog, transaction }: Pick<ExecutionContext, 'catalog' | 'transaction'>,
): Promise<StatementResult> {
  const isTold = identityOf(table) !== undefined && mayBeToldOfRows(catalog, table)
  const identity = isTold ? await readIdentity(transaction, table) : undefined
  const indexes = table.indexes.filter(({ state }) => state !== 'failed')
  const statements = [
    createTableText(table, identity?.next),
    ...indexes.map((index) => createIndexText(table, index)),
    ...table.observers.flatMap((observer) => createObserverTexts(table, observer)),
  ]
  const rows = statements.map((statement) => [statement])
  return shownTable(rows, { statement: 'TEXT' })
}
