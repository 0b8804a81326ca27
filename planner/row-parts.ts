// SPDX-License-Identifier: Apache-2.0
import type { ColumnExpression, Name } from '../parser/ast.ts'
import type { ColumnDefinition, TableDefinition } from '../storage/tables/tables.ts'
import { PlanError } from './plan-error.ts'
import { suggestion, unknownColumn } from './unknown-name.ts'

/**
 * Expressions look at one row, which is made of the rows of one or several tables, one after the other:
 *
 *     FROM orders AS o (id, customer)   LOOKUP customer AS c (id, name)
 *     o: offset 0                       c: offset 2
 *     o.id 0, o.customer 1              c.id 2, c.name 3
 */
export type RowPart = {
  /** What its columns are qualified with: the alias of the table, or its name. */
  readonly name: string
  readonly table: TableDefinition
  /** The position of its first column in the row. */
  readonly offset: number
  /** Its columns are found with the qualifier only, and by no `*`. */
  readonly isQualifiedOnly?: true
  /** All its columns may be NULL, because there may be no such row. */
  readonly isOptional?: true
}

/** A row of one table. */
export function rowOf(table: TableDefinition, alias?: Name): readonly RowPart[] {
  return [{ name: alias?.text ?? table.name, table, offset: 0 }]
}

/** The part that a position of the row is of. */
export function partAt(parts: readonly RowPart[], position: number): RowPart {
  return parts.findLast(({ offset }) => offset <= position) as RowPart
}

/** The positions of these that are of the part, counted from its first column, ascending. */
export function columnsWithin(
  { offset, table }: RowPart,
  positions: ReadonlySet<number>,
): readonly number[] {
  const within = [...positions].map((position) => position - offset)
  return within
    .filter((column) => column >= 0 && column < table.columns.length)
    .sort((a, b) => a - b)
}

/** The column at a position of the row, which is one of it. */
export function columnAt(parts: readonly RowPart[], position: number): ColumnDefinition {
  const part = partAt(parts, position)
  return part.table.columns[position - part.offset] as ColumnDefinition
}

/** The part that a qualifier names, or PlanError unknown_column with the names that come near it. */
export function requirePart(parts: readonly RowPart[], { text, position }: Name): RowPart {
  const part = parts.find(({ name }) => name === text)
  if (part !== undefined) return part
  const names = parts.map(({ name }) => name)
  const renamed = parts.find(({ table, name }) => table.name === text && name !== text)
  const { hint: near, fields } = suggestion(text, names, { qualifier: text })
  const ofJson = parts.some(({ table }) => {
    return table.columns.some(({ name, type }) => name === text && type === 'JSON')
  })
  const hint =
    renamed !== undefined
      ? `${text} is named ${renamed.name} here.`
      : ofJson
        ? `${text} is a column of the type JSON: its members are read by ${text} -> 'name'.`
        : near
  const message = `No table of this statement is named ${text}.`
  const known = `Its ${names.length === 1 ? 'table is' : 'tables are'} ${names.join(', ')}.`
  throw new PlanError('unknown_column', message, { position, hint: hint ?? known, fields })
}

/**
 * The position in the row of the column that is named, by its qualifier or alone. Throws PlanError unknown_column with
 * the near names, and invalid_request where several tables have a column of that name.
 */
export function requireColumnOf(parts: readonly RowPart[], column: ColumnExpression): number {
  const { qualifier, name, position } = column
  const searched =
    qualifier === undefined
      ? parts.filter(({ isQualifiedOnly }) => isQualifiedOnly !== true)
      : [requirePart(parts, { text: qualifier, position })]
  const found = searched.flatMap((part) => {
    const index = part.table.columns.findIndex((each) => each.name === name)
    return index < 0 ? [] : [{ part, index }]
  })
  const [only, other] = found
  if (only === undefined) throw unknownColumn(searched, column)
  if (other !== undefined) throw ambiguous(column, found)
  return only.part.offset + only.index
}

function ambiguous(
  { name, position }: ColumnExpression,
  found: ReadonlyArray<{ readonly part: RowPart }>,
): PlanError {
  const names = found.map(({ part }) => part.name)
  const message = `The column ${name} is one of ${names.join(' and of ')}.`
  return new PlanError('invalid_request', message, {
    position,
    hint: `Write ${names.map((part) => `${part}.${name}`).join(' or ')}.`,
    fields: { column: name },
  })
}
