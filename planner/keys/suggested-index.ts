// SPDX-License-Identifier: Apache-2.0
import {
  type ColumnDefinition,
  columnPosition,
  type TableDefinition,
} from '../../storage/storage.ts'
import { nameText } from '../expressions/expression-text.ts'
import type { AccessQuestion } from './access-path.ts'
import { partText } from './candidate-key.ts'

type Part = { readonly column: number; readonly descending: boolean }

/**
 * The CREATE INDEX statement of an index by which the statement could run: columns fixed by = first,
 * then those of the order or the groups, or else one with a range. Undefined when none would do.
 */
export function suggestedIndex(question: AccessQuestion): string | undefined {
  const { table, hasWhere, conditions } = question
  const wanted = distinct([...fixedParts(question), ...followingParts(question)])
  const parts = withoutKeyAtEnd(wanted, table)
  const [first] = parts
  const bounded = conditions.some(({ column }) => column === first?.column)
  if (first === undefined || (hasWhere && !bounded)) return undefined
  // Columns of tables that are looked up stand after those of the table.
  if (parts.some(({ column }) => column >= table.columns.length)) return undefined
  const columns = parts.map(({ column }) => table.columns[column] as ColumnDefinition)
  // JSON has no order, so no key can have it.
  if (columns.some(({ type }) => type === 'JSON')) return undefined
  const list = parts.map(({ descending }, position) => {
    return partText({ name: columns[position]?.name ?? '', descending })
  })
  const name = freeName(table, columns)
  return `CREATE INDEX ${nameText(name)} ON ${nameText(table.name)} (${list.join(', ')})`
}

/** The same of a unique index on these columns, by their positions. */
export function suggestedUniqueIndex(
  table: TableDefinition,
  positions: readonly number[],
): string | undefined {
  const columns = positions.map((position) => table.columns[position] as ColumnDefinition)
  if (columns.some(({ type }) => type === 'JSON')) return undefined
  const list = columns.map(({ name }) => nameText(name)).join(', ')
  const name = nameText(freeName(table, columns))
  return `CREATE UNIQUE INDEX ${name} ON ${nameText(table.name)} (${list})`
}

function fixedParts({ conditions, table }: AccessQuestion): readonly Part[] {
  return conditions
    .filter((condition) => condition.kind === 'points' && !condition.several)
    .filter(({ column }) => table.columns[column]?.type !== 'JSON')
    .map(({ column }) => ({ column, descending: false }))
}

function followingParts({ orderBy, groupBy, conditions }: AccessQuestion): readonly Part[] {
  const ordered = [...orderBy, ...(groupBy ?? []).map((column) => ({ column, descending: false }))]
  if (ordered.length > 0) return ordered
  const several = conditions.find(({ kind }) => kind === 'points')
  const range = conditions.find(({ kind }) => kind !== 'points')
  return [several, range].flatMap((condition) =>
    condition === undefined ? [] : [{ column: condition.column, descending: false }],
  )
}

/** After its columns, an index is in the order of the primary key in any case. */
function withoutKeyAtEnd(parts: readonly Part[], table: TableDefinition): readonly Part[] {
  const key = table.primaryKey.map(({ columnId, descending }) => ({
    column: columnPosition(table, columnId),
    descending,
  }))
  for (let count = 1; count < parts.length; count += 1) {
    const rest = parts.slice(count)
    const isKey = rest.every(({ column, descending }, position) => {
      return key[position]?.column === column && key[position].descending === descending
    })
    if (isKey) return parts.slice(0, count)
  }
  return parts
}

/** A column that is fixed orders nothing any more. */
function distinct(parts: readonly Part[]): readonly Part[] {
  const first = new Map<number, Part>()
  for (const part of parts) if (!first.has(part.column)) first.set(part.column, part)
  return [...first.values()]
}

/** For example tradeBySymbolTime, with a number after it when the table has an index of that name. */
function freeName(
  table: TableDefinition,
  columns: ReadonlyArray<{ readonly name: string }>,
): string {
  const capitalized = columns.map(({ name }) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`)
  const name = `${table.name}By${capitalized.join('')}`
  const taken = new Set(table.indexes.map((index) => index.name.toLowerCase()))
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : `${name}${number}`
    if (!taken.has(free.toLowerCase())) return free
  }
}
