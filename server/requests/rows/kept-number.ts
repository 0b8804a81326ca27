// SPDX-License-Identifier: Apache-2.0
import { type StatementResult, valueFromJson, valueToJson } from '../../../planner/planner.ts'
import { identityOf, type TableDefinition } from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import { keyNames } from './row-statements.ts'

// A row that takes the place of another has its number: one that is put again is no new row. With its key the path or
// the body names the number; another column has it from the row that was there.

/** The values of a row by their columns, and whether a number that is GENERATED ALWAYS is among them. */
export type NumberedRow = {
  readonly columns: readonly string[]
  readonly values: readonly unknown[]
  readonly overridesGenerated: boolean
}

/** What a row is asked for before another takes its place. */
export function keptColumns(table: TableDefinition): readonly string[] {
  const name = identityOf(table)?.column.name
  return name === undefined || keyNames(table).includes(name) ? [] : [name]
}

/** The row with the number of the one that was removed for it, unless it brings one that may be chosen. */
export function withFormerNumber(
  table: TableDefinition,
  { columns, values, overridesGenerated }: NumberedRow,
  { rowsAffected, rows }: StatementResult,
): NumberedRow {
  const identity = identityOf(table)
  if (identity === undefined || rowsAffected === 0) return { columns, values, overridesGenerated }
  const { name, type } = identity.column
  if (keyNames(table).includes(name)) return { columns, values, overridesGenerated: true }
  const former = rows[0]?.[0] as SqlValue
  const given = columns.indexOf(name)
  if (given >= 0) {
    const isFormer = valueFromJson(type, values[given]) === former
    return { columns, values, overridesGenerated: overridesGenerated || isFormer }
  }
  return {
    columns: [...columns, name],
    values: [...values, valueToJson(type, former, { integers: 'string' })],
    overridesGenerated: true,
  }
}
