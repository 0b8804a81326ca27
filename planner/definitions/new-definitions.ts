// SPDX-License-Identifier: Apache-2.0
import type {
  ColumnClause,
  CreateIndexStatement,
  CreateObserverStatement,
  CreateTableStatement,
  Expression,
  Name,
} from '../../parser/ast.ts'
import {
  type ColumnDefault,
  defineTable,
  type NewColumn,
  type NewIndex,
  type NewObserver,
  type NewTable,
  type TableDefinition,
} from '../../storage/tables/tables.ts'
import type { SqlType } from '../../storage/values/values.ts'
import { scopeOfNothing } from '../execute/rows/execution-context.ts'
import { createExpressionCompiler } from '../expressions/expression.ts'
import { type ColumnType, compileAs, compileForColumn } from '../expressions/type-check.ts'
import { requirePath } from '../keys/key-term.ts'
import { PlanError } from '../plan-error.ts'
import { requireColumn, unknown } from '../unknown-name.ts'
import { newCheckOf } from './table-check.ts'

/** What the statement of each kind describes, for storage. Throw PlanError where a name or a type is wrong. */

export function newTableOf(statement: CreateTableStatement): NewTable {
  const { table, columns, primaryKey, families, uniques } = statement
  const known = columns.map(({ name }) => ({ name: name.text }))
  const named = (what: string, column: Name): string => {
    if (known.some(({ name }) => name === column.text)) return column.text
    const message = `${what} names ${column.text}, which is no column.`
    throw unknown('column', column, message, known, { name: table.text })
  }
  const described: NewTable = {
    name: table.text,
    columns: columns.map(newColumnOf),
    primaryKey: primaryKey.map(({ column, descending }) => ({
      column: named('The primary key', column),
      descending,
    })),
    families: families.map(({ name, columns: ofFamily }) => ({
      name: name.text,
      columns: ofFamily.map((column) => named(`The family ${name.text}`, column)),
    })),
    uniques: uniques.map(({ name, columns: unique }) => ({
      ...(name && { name: name.text }),
      parts: unique.map(({ column, descending }) => ({
        column: named('UNIQUE', column),
        descending,
      })),
    })),
  }
  const { checks } = statement
  if (checks.length === 0) return described
  const defined = defineTable(described, 1)
  return { ...described, checks: checks.map((check) => newCheckOf(check, defined)) }
}

export function newColumnOf(clause: ColumnClause): NewColumn {
  const { name, notNull } = clause
  // The parser lets no other name through.
  const type = clause.type.text as SqlType
  const { size } = clause.type
  const column = { name: name.text, type, ...(size && { size }), notNull }
  if (clause.identity !== undefined) {
    const { isAlways, startWith } = clause.identity
    return {
      ...column,
      default: { kind: 'identity', isAlways, series: 1 },
      ...(startWith !== undefined && { startWith: wholeNumberOf(startWith) }),
    }
  }
  return clause.default === undefined
    ? column
    : { ...column, default: columnDefault(clause.default, column) }
}

const ALL_TAKEN = 2n ** 63n

/**
 * The next number of an identity. One above the largest INTEGER says that all have been taken, as SHOW CREATE TABLE
 * writes it. Throws PlanError `out_of_range` for any other number of more than 64 bits.
 */
export function wholeNumberOf(expression: Expression): bigint {
  if (expression.kind === 'literal' && expression.value === ALL_TAKEN) return ALL_TAKEN
  const value = compileAs(createExpressionCompiler(), expression, 'INTEGER')
  return value.evaluate(scopeOfNothing()) as bigint
}

/** now() and uuid() are called again for each row; a literal is a value of the column's type. */
export function columnDefault(expression: Expression, column: ColumnType): ColumnDefault {
  const { type } = column
  const isNow = expression.kind === 'call' && expression.function === 'now'
  // Of a DATE it is the day in UTC.
  const given = isNow && type === 'DATE' ? 'TIMESTAMP' : type
  const value = compileForColumn(createExpressionCompiler(), expression, { ...column, type: given })
  if (expression.kind === 'call') {
    if (isNow) return { kind: 'now' }
    if (expression.function === 'uuid') return { kind: 'uuid' }
    throw new PlanError('invalid_request', 'A default is a literal, now() or uuid().', {
      position: expression.position,
    })
  }
  return { kind: 'literal', value: value.evaluate(scopeOfNothing()) }
}

export function newIndexOf(statement: CreateIndexStatement, table: TableDefinition): NewIndex {
  const { index, unique, columns, storing } = statement
  return {
    name: index.text,
    table: table.name,
    unique,
    parts: columns.map((part) => {
      const path = requirePath(part)
      const { column, descending, each } = part
      const within = { ...(path && { path }), ...(each && { each }) }
      return { column: columnNamed(table, column), descending, ...within }
    }),
    storing: storing.map((column) => columnNamed(table, column)),
  }
}

export function newObserverOf(
  { observer, weak, columns, due }: CreateObserverStatement,
  table: TableDefinition,
): NewObserver {
  return {
    name: observer.text,
    table: table.name,
    isWeak: weak,
    columns: columns.map((column) => columnNamed(table, column)),
    ...(due && { due: columnNamed(table, due) }),
  }
}

function columnNamed(table: TableDefinition, { text, position }: Name): string {
  requireColumn(table, text, position)
  return text
}
