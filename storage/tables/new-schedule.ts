// SPDX-License-Identifier: Apache-2.0
import { invalidDefinition, requireName } from './definition-name.ts'
import {
  type ObserverDefinition,
  primaryKeyParts,
  type ScheduleDefinition,
  type TableDefinition,
} from './table-definition.ts'

/** A schedule as CREATE SCHEDULE describes it, before it has an id. */
export type NewSchedule = Pick<ScheduleDefinition, 'name' | 'times' | 'zone' | 'missed'> & {
  /** The name of the observer that it runs. */
  readonly observer: string
}

/**
 * The definition with this id, active. The table of its observer has to be one for rows of schedules:
 *
 *     CREATE TABLE job (schedule TEXT, at TIMESTAMP, PRIMARY KEY (schedule, at))
 *
 * Errors: `invalid_definition` with the fields `table`, `observer`, `schedule` and sometimes `column`, and
 * `limit_exceeded` for the length of the name.
 */
export function defineSchedule(
  { table, observer }: { readonly table: TableDefinition; readonly observer: ObserverDefinition },
  { name, times, zone, missed }: NewSchedule,
  id: number,
): ScheduleDefinition {
  const fields = { table: table.name, observer: observer.name, schedule: name }
  requireName(name, fields)
  if (observer.isWeak) {
    const message = `The observer "${observer.name}" is weak, and runs for NOTIFY only: a schedule inserts rows.`
    throw invalidDefinition(message, fields)
  }
  const types = primaryKeyParts(table).map(({ type }) => type)
  if (types.join() !== 'TEXT,TIMESTAMP') {
    const message = `A schedule inserts rows with its name and the time as their key, so the primary key of "${table.name}" has to be a TEXT and a TIMESTAMP.`
    throw invalidDefinition(message, fields)
  }
  const keyIds = new Set(table.primaryKey.map(({ columnId }) => columnId))
  const unfilled = table.columns.find(
    (column) => column.notNull && column.default === undefined && !keyIds.has(column.id),
  )
  if (unfilled !== undefined) {
    const message = `A schedule inserts rows with a key alone, and "${unfilled.name}" is NOT NULL without a DEFAULT.`
    throw invalidDefinition(message, { ...fields, column: unfilled.name })
  }
  return { id, name, observer: observer.id, times, zone, missed, state: 'active' }
}
