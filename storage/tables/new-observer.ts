// SPDX-License-Identifier: Apache-2.0
import { invalidDefinition, requireName } from './definition-name.ts'
import { requireColumn } from './new-key.ts'
import { requireCount } from './table-counts.ts'
import type { ObserverDefinition, TableDefinition } from './table-definition.ts'

/** An observer as CREATE OBSERVER describes it, before it has an id. */
export type NewObserver = {
  readonly name: string
  readonly table: string
  readonly isWeak: boolean
  /** Names of the columns whose changes it observes. */
  readonly columns: readonly string[]
  /** The name of the column with the time before which a row is not handed out. */
  readonly due?: string
}

/**
 * The definition with this id, active. One that is not weak still has to be told of the rows that are
 * there already.
 *
 * Errors: `invalid_definition` with the fields `table`, `observer` and mostly `column`;
 * `limit_exceeded` for the length of the name and the number of observers of the table.
 */
export function defineObserver(
  table: TableDefinition,
  newObserver: NewObserver,
  id: number,
): ObserverDefinition {
  const { name, isWeak, due } = newObserver
  const fields = { table: table.name, observer: name }
  requireName(name, fields)
  requireCount(table.name, 'observers', table.observers.length + 1)
  const observerName = `The observer "${name}"`
  if (newObserver.columns.length === 0) {
    throw invalidDefinition(`${observerName} has no columns.`, fields)
  }
  const columns = new Set<number>()
  for (const named of newObserver.columns) {
    const column = requireColumn(observerName, named, table.columns, fields)
    if (columns.has(column.id)) {
      throw invalidDefinition(`${observerName} names "${named}" twice.`, {
        ...fields,
        column: named,
      })
    }
    columns.add(column.id)
  }
  const dueId = due === undefined ? undefined : requireTime(observerName, newObserver, table)
  // A row whose time changes is another one to hand out.
  if (dueId !== undefined) columns.add(dueId)
  const ascending = [...columns].sort((a, b) => a - b)
  const definition = { id, name, isWeak, columns: ascending, isBackfilled: isWeak } as const
  return { ...definition, ...(dueId !== undefined && { due: dueId }), state: 'active' }
}

/** The id of the column that says when a row is due. */
function requireTime(
  observerName: string,
  { name, isWeak, due = '' }: NewObserver,
  table: TableDefinition,
): number {
  const fields = { table: table.name, observer: name, column: due }
  const { id, type } = requireColumn(observerName, due, table.columns, fields)
  if (type !== 'TIMESTAMP' && type !== 'DATE') {
    const message = `${observerName} is due by "${due}", a ${type}; it has to be a TIMESTAMP or a DATE.`
    throw invalidDefinition(message, fields)
  }
  if (!isWeak) return id
  const message = `${observerName} is weak, and has no DUE: NOTIFY says when it runs.`
  throw invalidDefinition(message, fields)
}
