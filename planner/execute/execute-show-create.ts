// SPDX-License-Identifier: Apache-2.0
import type { TableDefinition } from '../../storage/storage.ts'
import { createIndexText, createObserverTexts, createTableText } from './definition-text.ts'
import type { StatementResult } from './rows/execution-context.ts'

/**
 * SHOW CREATE TABLE: the statements that make the table, its indexes and its observers, in their order, one in each
 * row. An index that has failed is left out, since it would fail again.
 */
export function showCreateTable(table: TableDefinition): StatementResult {
  const indexes = table.indexes.filter(({ state }) => state !== 'failed')
  const statements = [
    createTableText(table),
    ...indexes.map((index) => createIndexText(table, index)),
    ...table.observers.flatMap((observer) => createObserverTexts(table, observer)),
  ]
  return {
    columns: [{ name: 'statement', type: 'TEXT' }],
    rows: statements.map((statement) => [statement]),
    rowsAffected: 0,
  }
}
