// SPDX-License-Identifier: Apache-2.0
import type { Position } from '../../../parser/ast.ts'
import {
  type ColumnDefinition,
  keyColumns,
  type TableDefinition,
} from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import type { StatementFunctions } from '../../expressions/compiled-expression.ts'
import { valueToJson } from '../../json/json-value.ts'
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
      return functions.now
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
