// SPDX-License-Identifier: Apache-2.0
import type { Catalog } from '../../../storage/tables/tables.ts'
import type { RowStatement } from './script.ts'

/** The kind of a statement and its table, as `SET account` or `EXPLAIN GET account`. */
export function statementKind(statement: RowStatement, catalog: Catalog): string {
  const isExplained = statement.kind === 'explain'
  const inner = isExplained ? statement.statement : statement
  // Statements on rows are of one word, and are very many.
  const words = inner.kind.startsWith('show') ? inner.kind.replace(/[A-Z]/g, ' $&') : inner.kind
  // As the catalog writes it: what the statement has is a part of its text, and would keep all of that.
  const table = 'table' in inner ? catalog.table(inner.table.text)?.name : undefined
  return `${isExplained ? 'EXPLAIN ' : ''}${words.toUpperCase()}${table === undefined ? '' : ` ${table}`}`
}
