// SPDX-License-Identifier: Apache-2.0
import type { Position } from '../../../parser/ast.ts'
import {
  type ColumnDefinition,
  keyColumns,
  type TableDefinition,
} from '../../../storage/tables/tables.ts'
import { nowOf, type SqlValue } from '../../../storage/values/values.ts'
import type { Scope, StatementFunctions } from '../../expressions/compiled-expression.ts'
import { valueToJson } from '../../json/json-value.ts'
import { keyTuples } from '../../keys/key-range.ts'
import { columnOfTerm } from '../../keys/key-term.ts'
import type { CheckPlan, NotifyPlan, SetPlan } from '../../plan/plan.ts'
import { PlanError } from '../../plan-error.ts'

/** What a column holds in a new row for which no value is given; `number` is that of an identity. */
export function defaultOf(
  column: ColumnDefinition,
  functions: StatementFunctions,
  number: bigint | undefined,
): SqlValue {
  switch (column.default?.kind) {
    case 'literal':
      return column.default.value
    case 'now':
      return nowOf(column.type, functions.now)
    case 'uuid':
      return functions.uuid()
    case 'identity':
      return number ?? null
    case undefined:
      return null
  }
}

/** The key as error messages carry it: the JSON form of each of its values. */
export function keyToJson(table: TableDefinition, key: readonly SqlValue[]): unknown[] {
  return keyColumns(table).map(({ type }, index) => valueToJson(type, key[index] as SqlValue))
}

/** Which of several rows of a statement it is, as error messages carry it. */
export function rowNumber({ number }: { readonly number?: number | undefined }): {
  readonly row?: number
} {
  return number === undefined ? {} : { row: number }
}

export function notNullViolation(
  table: TableDefinition,
  column: ColumnDefinition,
  position: Position,
  { number }: { readonly number?: number | undefined } = {},
): PlanError {
  return new PlanError('not_null_violation', `The column ${column.name} cannot be NULL.`, {
    position,
    fields: {
      table: table.name,
      column: column.name,
      ...(number === undefined ? {} : { row: number }),
    },
  })
}

/** A row to be written that is, or would become, none of those that whoever asks may write. */
export function ruleViolated(
  { table, position }: { readonly table: TableDefinition; readonly position: Position },
  key: readonly SqlValue[],
  number?: number,
): PlanError {
  const json = keyToJson(table, key)
  const message = `The rule of your role does not let the row ${JSON.stringify(json)} of ${table.name} be written like that.`
  return new PlanError('rule_violated', message, {
    position,
    fields: { table: table.name, key: json, ...rowNumber({ number }) },
  })
}

/** The key of the one row that a SET, a CHECK or a NOTIFY names. Throws PlanError not_null_violation. */
export function requireKey(
  plan: SetPlan | CheckPlan | NotifyPlan,
  scope: Scope,
): readonly SqlValue[] {
  const [key] = keyTuples(plan.keys, scope, 'asked')
  if (key !== undefined) return key
  const { table, keys, position } = plan
  const index = keys.points.findIndex((conditions) =>
    conditions.some((condition) => condition.values(scope).length === 0),
  )
  const condition = keys.points[index]?.[0]
  const column = table.columns[columnOfTerm(condition?.term ?? 0)] as ColumnDefinition
  throw notNullViolation(table, column, condition?.source.position ?? position)
}
