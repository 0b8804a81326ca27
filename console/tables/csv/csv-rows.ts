// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../../client-sdk/client.ts'
import { sentValues } from '../form-values.ts'
import { isGiven } from '../table-words.ts'
import type { CsvRecord, CsvText } from './csv-text.ts'

type Column = Schemas['TableColumn']

/** For each field of the file the column that takes it; undefined for one that is left out. */
export type Mapping = readonly (string | undefined)[]

/** A row as it is sent, and where it stands in the file; or what is wrong there. */
export type ReadRow =
  | { readonly line: number; readonly row: Readonly<Record<string, unknown>> }
  | { readonly line: number; readonly problem: string }

/** Columns that a value may be written to. */
export function writableColumns(columns: readonly Column[]): readonly Column[] {
  return columns.filter((column) => !isGiven(column))
}

/** Fields go to the columns of their names, whatever their case; each column takes one field. */
export function mappingOf(header: readonly string[], columns: readonly Column[]): Mapping {
  const free = new Set(writableColumns(columns).map(({ name }) => name))
  const take = (name: string | undefined) => {
    if (name === undefined || !free.delete(name)) return undefined
    return name
  }
  const exact = header.map((field) => take(free.has(field) ? field : undefined))
  return header.map((field, at) => {
    const wanted = field.trim().toLowerCase()
    return exact[at] ?? take([...free].find((name) => name.toLowerCase() === wanted))
  })
}

/** What keeps these fields from being rows; undefined where nothing does. */
export function mappingProblem(
  mapping: Mapping,
  table: Pick<Schemas['Table'], 'primaryKey' | 'columns'>,
): string | undefined {
  const taken = mapping.filter((name) => name !== undefined)
  const twice = taken.find((name, at) => taken.indexOf(name) !== at)
  if (twice !== undefined) return `Two fields go to ${twice}.`
  const needed = table.columns.filter(
    ({ name, notNull, default: given }) =>
      given === undefined &&
      (notNull || table.primaryKey.some(({ column }) => column === name)) &&
      !taken.includes(name),
  )
  if (needed.length === 0) return undefined
  return `No field goes to ${needed.map(({ name }) => name).join(', ')}, which every row needs.`
}

/** The row of a record, with its values as the API takes them. */
export function rowOf(
  { line, fields }: CsvRecord,
  { header }: Pick<CsvText, 'header'>,
  mapping: Mapping,
  columns: ReadonlyMap<string, Column>,
): ReadRow {
  if (fields.length !== header.length) {
    const problem = `The line has ${fields.length} fields, and the header ${header.length}.`
    return { line, problem }
  }
  const row: Record<string, unknown> = {}
  for (const [at, name] of mapping.entries()) {
    const column = name === undefined ? undefined : columns.get(name)
    if (column === undefined) continue
    const value = sentValue(column, fields[at] ?? null)
    if ('problem' in value) return { line, problem: `Column ${column.name}: ${value.problem}` }
    row[column.name] = value.sent
  }
  return { line, row }
}

function sentValue(
  column: Column,
  field: string | null,
): { readonly sent: unknown } | { readonly problem: string } {
  if (field === null) return { sent: null }
  // In base64, as the server writes them.
  if (column.type === 'BYTES') return { sent: field }
  const { row, problems } = sentValues([column], { [column.name]: { kind: 'text', text: field } })
  const problem = problems[column.name]
  if (problem !== undefined) return { problem }
  const value = row[column.name]
  // A text of digits is taken for an INTEGER, beyond 2^53 too.
  return { sent: typeof value === 'bigint' ? String(value) : value }
}
