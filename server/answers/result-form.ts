// SPDX-License-Identifier: Apache-2.0
import { type IntegerForm, type StatementResult, valueToJson } from '../../planner/planner.ts'
import type { SqlType, SqlValue } from '../../storage/storage.ts'
import { PIECE_CHARACTERS, piecesOf, stringPieces } from './text-pieces.ts'

export type Columns = StatementResult['columns']

/** What the columns of a result make of it: their own text, and a writer for each of its rows. */
export type ResultForm = {
  readonly columns: string
  readonly fields: readonly Field[]
}

type Field = { readonly prefix: string; readonly type: SqlType; readonly write: ValueWriter }

type ValueWriter = (value: SqlValue) => string

export const NO_COLUMNS: ResultForm = { columns: '[]', fields: [] }

export function formOf(columns: Columns, integers: IntegerForm): ResultForm {
  return {
    columns: JSON.stringify(columns.map(({ name, type }) => ({ name, type }))),
    fields: columns.map(({ name, type }, index) => ({
      prefix: `${index === 0 ? '' : ','}${JSON.stringify(name)}:`,
      type,
      write: valueWriter(type, integers),
    })),
  }
}

export function rowText({ fields }: ResultForm, row: readonly SqlValue[]): string {
  let text = '{'
  for (let index = 0; index < fields.length; index += 1) {
    const { prefix, write } = fields[index] as Field
    const value = row[index] ?? null
    text += prefix + (value === null ? 'null' : write(value))
  }
  return `${text}}`
}

/** The same in pieces, each of them short where the values are long. */
export function* rowPieces(
  form: ResultForm,
  row: readonly SqlValue[],
): Generator<string, void, undefined> {
  if (!hasLongValue(row) && row.length <= LONG_ROW_FIELDS) {
    yield rowText(form, row)
    return
  }
  yield '{'
  for (const [index, field] of form.fields.entries()) {
    const value = row[index] ?? null
    yield field.prefix
    if (value === null) yield 'null'
    else if (isLong(value)) yield* longValuePieces(field, value)
    else yield field.write(value)
  }
  yield '}'
}

/** Every type but TEXT and JSON is bytes here, which are short work. */
function* longValuePieces(
  { type, write }: Field,
  value: SqlValue,
): Generator<string, void, undefined> {
  if (type !== 'TEXT') {
    yield* piecesOf(write(value))
    return
  }
  yield* stringPieces(value as string)
}

const LONG_ROW_FIELDS = 1_000

/** Whether it is to be written in pieces. */
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

/** The same in pieces; `separator` comes first. */
export function* rowsPieces(
  form: ResultForm,
  rows: ReadonlyArray<readonly SqlValue[]>,
  separator: '' | ',',
): Generator<string, void, undefined> {
  let before: string = separator
  for (const row of rows) {
    yield before
    yield* rowPieces(form, row)
    before = ','
  }
}

function valueWriter(type: SqlType, integers: IntegerForm): ValueWriter {
  switch (type) {
    case 'BOOLEAN':
      return (value) => (value === true ? 'true' : 'false')
    case 'JSON':
      // It is kept as text that has been checked and brought into one form.
      return (value) => value as string
    case 'TEXT':
      return (value) => JSON.stringify(value)
    case 'INTEGER':
      return (value) => {
        const json = valueToJson(type, value, { integers })
        return typeof json === 'number' ? `${json}` : `"${json}"`
      }
    default: {
      const options = { integers }
      return (value) => JSON.stringify(valueToJson(type, value, options))
    }
  }
}
