// SPDX-License-Identifier: Apache-2.0
import {
  fromSource,
  type JsonSource,
  PlanError,
  sourceOf,
  valueFromJson,
  valueToJson,
} from '../../../planner/planner.ts'
import {
  type ColumnDefinition,
  keyColumns,
  nearestNames,
  type TableDefinition,
} from '../../../storage/tables/tables.ts'
import { compareValues, type SqlValue } from '../../../storage/values/values.ts'
import { ServerError } from '../../errors/server-error.ts'
import { keyToJson } from '../answers/row-address.ts'
import { keyNames } from './row-statements.ts'

/** A row of a body: its columns by name, in JSON. */
export type RowObject = Readonly<Record<string, unknown>>

/**
 * The columns of a body with their values; each value fits its column. Throws PlanError
 * `unknown_column`, `type_mismatch` or `out_of_range` with the column, and of several rows the `row`, and
 * `type_mismatch` for a name that stands twice.
 */
export function readRow(
  table: TableDefinition,
  object: RowObject,
  position: ValuePosition = {},
): { readonly columns: readonly string[]; readonly values: readonly unknown[] } {
  const columns = Object.keys(object)
  const source = position.source ?? sourceOf(object)
  // One of several names would win, and the others be dropped without a word.
  if (position.mayRepeatNames ?? source?.nameCount !== columns.length) source?.requireNamesOnce()
  const values = columns.map((name) => {
    const column = table.columns.find((known) => known.name === name)
    if (column === undefined) throw unknownColumn(table, name, position.row)
    return explained(table, column, position, () => {
      const json = exactValue(column, object, source)
      valueFromJson(column.type, json)
      return json
    })
  })
  return { columns, values }
}

/** Where a row stands in the body: its number, when there are several, and its text. */
type ValuePosition = {
  readonly row?: number
  readonly source?: JsonSource | undefined
  /** Of several rows: whether the text has other names than those of their columns. */
  readonly mayRepeatNames?: boolean
}

/** The value of a column, from its text where JSON.parse may have changed it. */
function exactValue(
  { name, type }: ColumnDefinition,
  object: RowObject,
  source: JsonSource | undefined,
): unknown {
  const json = object[name]
  return source === undefined ? json : fromSource(type, json, source.member(name))
}

/** The body without the key, which the path has already named. Throws where it names another. */
export function withoutKey(
  table: TableDefinition,
  object: RowObject,
  key: readonly SqlValue[],
): RowObject {
  const rest = { __proto__: null, ...object } as Record<string, unknown>
  for (const [index, name] of keyNames(table).entries()) {
    if (!Object.hasOwn(object, name)) continue
    const column = table.columns.find((known) => known.name === name) as ColumnDefinition
    const value = explained(table, column, {}, () =>
      valueFromJson(column.type, exactValue(column, object, sourceOf(object))),
    )
    if (value === null || compareValues(column.type, value, key[index] ?? null) !== 0) {
      throw new ServerError('invalid_request', `The body has another ${name} than the path.`, {
        table: table.name,
        columnName: name,
        key: keyToJson(table, key),
        hint: 'a row with another key is another row: leave the key out of the body',
      })
    }
    delete rest[name]
  }
  return rest
}

/** Values of the primary key as parameters. */
export function keyParameters(table: TableDefinition, key: readonly SqlValue[]): unknown[] {
  return keyColumns(table).map(({ type }, index) =>
    valueToJson(type, key[index] ?? null, { integers: 'string' }),
  )
}

function explained<T>(
  table: TableDefinition,
  { name }: ColumnDefinition,
  { row }: ValuePosition,
  convert: () => T,
): T {
  try {
    return convert()
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    const position = row === undefined ? {} : { row }
    throw new PlanError(error.code, `Column ${name}: ${error.message}`, {
      fields: { ...error.fields, table: table.name, column: name, ...position },
      hint: error.hint,
    })
  }
}

export function unknownColumn(table: TableDefinition, name: string, row?: number): PlanError {
  const position = row === undefined ? {} : { row }
  const nearest = nearestNames(
    name,
    table.columns.map((column) => column.name),
  )
  return new PlanError('unknown_column', `The table ${table.name} has no column ${name}.`, {
    fields: {
      table: table.name,
      column: name,
      ...position,
      ...(nearest.length === 0 ? {} : { nearest }),
    },
    ...(nearest.length === 0 ? {} : { hint: `Did you mean ${nearest.join(' or ')}?` }),
  })
}
