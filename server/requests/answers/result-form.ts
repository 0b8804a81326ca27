// SPDX-License-Identifier: Apache-2.0
import { type IntegerForm, jsonOf, type StatementResult } from '../../../planner/planner.ts'
import { RowObjects, type TableDefinition } from '../../../storage/tables/tables.ts'
import type { SqlType, SqlValue } from '../../../storage/values/values.ts'
import { PIECE_CHARACTERS, piecesOf, stringPieces } from './text-pieces.ts'

export type Columns = StatementResult['columns']

/** What the columns of a result make of it: their own text, and how each of its rows is written. */
export type ResultForm = {
  readonly columns: string
  readonly fields: readonly Field[]
  readonly runs: readonly Run[]
  /** Made when rows are first written as they are stored; null where they cannot be. */
  shape?: RowObjects | null
}

type Field = {
  /** As JSON, with the colon. */
  readonly name: string
  readonly type: SqlType
  /** The value as JSON.stringify takes it; absent where it is that already. */
  readonly toJson?: ReturnType<typeof jsonOf>
}

/**
 * Columns that follow each other and are written by one JSON.stringify, which takes less than half of the time that a
 * call for each value takes. The template has their names in their order, each with null; it is absent for a column of
 * JSON, whose text is written as it is.
 */
type Run = {
  readonly first: number
  readonly names: readonly string[]
  readonly fields: readonly Field[]
  readonly template?: Readonly<Record<string, null>>
}

export const NO_COLUMNS: ResultForm = { columns: '[]', fields: [], runs: [] }

export function formOf(columns: Columns, integers: IntegerForm): ResultForm {
  const fields = columns.map(({ name, type }) => {
    const field = { name: `${JSON.stringify(name)}:`, type }
    const isJson = type === 'TEXT' || type === 'REAL' || type === 'BOOLEAN' || type === 'JSON'
    return isJson ? field : { ...field, toJson: jsonOf(type, integers) }
  })
  return {
    columns: JSON.stringify(columns.map(({ name, type }) => ({ name, type }))),
    fields,
    runs: runsOf(columns).map(([first, end]) => {
      const names = columns.slice(first, end).map(({ name }) => name)
      const run = { first, names, fields: fields.slice(first, end) }
      if (columns[first]?.type === 'JSON') return run
      const members = names.map((name) => `${JSON.stringify(name)}:null`)
      return { ...run, template: JSON.parse(`{${members}}`) }
    }),
  }
}

/**
 * Where the runs begin and end. A name that stands twice ends one, since an object has each name once, and so does a
 * number, which an object has before its other names.
 */
function runsOf(columns: Columns): Array<readonly [first: number, end: number]> {
  const runs: Array<readonly [number, number]> = []
  const names = new Set<string>()
  let first = 0
  const endAt = (index: number) => {
    if (index > first) runs.push([first, index])
    first = index
    names.clear()
  }
  for (const [index, { name, type }] of columns.entries()) {
    const standsAlone = type === 'JSON' || /^\d+$/.test(name)
    if (standsAlone || names.has(name)) endAt(index)
    names.add(name)
    if (standsAlone) endAt(index + 1)
  }
  endAt(columns.length)
  return runs
}

/**
 * How rows of the table, of which the columns in these places are answered, are written as they are stored; undefined
 * where they are several cells, where a column stands twice, or where one JSON.stringify does not write them in their
 * order.
 */
export function newShape(
  { runs: [run, another] }: ResultForm,
  table: TableDefinition,
  places: readonly number[],
): RowObjects | undefined {
  const isOne = run?.template !== undefined && another === undefined
  const isOnceEach = new Set(places).size === places.length
  if (!isOne || !isOnceEach || table.families.length > 0) return undefined
  const { names, fields } = run
  return new RowObjects(
    table,
    places.map((place, at) => ({
      place,
      name: names[at] as string,
      toJson: fields[at]?.toJson,
    })),
  )
}

export function rowText({ runs }: ResultForm, row: readonly SqlValue[]): string {
  let text = '{'
  let separator = ''
  for (const run of runs) {
    text += separator + membersText(run, row)
    separator = ','
  }
  return `${text}}`
}

/** These columns as an object has them, without its braces. */
function membersText({ first, names, fields, template }: Run, row: readonly SqlValue[]): string {
  if (template === undefined) return `${fields[0]?.name}${row[first] ?? 'null'}`
  const object: Record<string, unknown> = { ...template }
  for (let index = 0; index < names.length; index += 1) {
    const value = row[first + index] ?? null
    if (value === null) continue
    const { toJson } = fields[index] as Field
    object[names[index] as string] = toJson === undefined ? value : toJson(value)
  }
  return JSON.stringify(object).slice(1, -1)
}

/** The same in pieces, each of them short where the values are long. */
export function* rowPieces(
  form: ResultForm,
  row: readonly SqlValue[],
): Generator<string, void, undefined> {
  if (!isLongRow(row)) {
    yield rowText(form, row)
    return
  }
  let separator = '{'
  for (const [index, field] of form.fields.entries()) {
    yield separator + field.name
    yield* valuePieces(field, row[index] ?? null)
    separator = ','
  }
  yield '}'
}

function* valuePieces(
  { type, toJson }: Field,
  value: SqlValue,
): Generator<string, void, undefined> {
  if (type === 'TEXT' && isLong(value)) {
    yield* stringPieces(value as string)
    return
  }
  // Base64 of bytes is short work.
  const json = type === 'JSON' || value === null ? value : JSON.stringify(toJson?.(value) ?? value)
  yield* piecesOf(String(json))
}

const LONG_ROW_FIELDS = 1_000

/** Whether it is to be written in pieces. */
export function isLongRow(row: readonly SqlValue[]): boolean {
  return row.length > LONG_ROW_FIELDS || hasLongValue(row)
}

export function hasLongValue(row: readonly SqlValue[]): boolean {
  return row.some(isLong)
}

function isLong(value: SqlValue): boolean {
  const isSized = typeof value === 'string' || value instanceof Uint8Array
  return isSized && value.length > PIECE_CHARACTERS
}

/** Rows with commas between them. */
export function rowsText(form: ResultForm, rows: ReadonlyArray<readonly SqlValue[]>): string {
  let text = ''
  let separator = ''
  for (const row of rows) {
    text += separator + rowText(form, row)
    separator = ','
  }
  return text
}

/** The same in pieces. */
export function* rowsPieces(
  form: ResultForm,
  rows: ReadonlyArray<readonly SqlValue[]>,
): Generator<string, void, undefined> {
  let separator = ''
  for (const row of rows) {
    yield separator
    yield* rowPieces(form, row)
    separator = ','
  }
}
