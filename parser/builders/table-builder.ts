// SPDX-License-Identifier: Apache-2.0

import type {
  CheckClause,
  CreateTableStatement,
  FamilyClause,
  KeyClause,
  Name,
  Position,
  UniqueClause,
} from '../ast.ts'
import type * as cst from '../grammar/grammar-cst.gen.ts'
import { shownToken, syntaxError } from '../parse-error.ts'
import { buildRowExpression, columnOf, columnsOf, keyColumnsOf, tableOf } from './clause-builder.ts'
import { buildColumn } from './column-builder.ts'
import { only, positionOfNode, positionOfToken } from './cst-position.ts'
import { buildName } from './literal.ts'

/** What follows CREATE, which is at `position`. Throws `ParseError`. */
export function buildNewTable(
  { children }: cst.NewTableCstNode,
  position: Position,
): CreateTableStatement {
  const table = tableOf(children)
  const columns = children.columnClause ?? []
  return {
    kind: 'createTable',
    ifNotExists: children.ifNotExists !== undefined,
    table,
    columns: columns.map(buildColumn),
    primaryKey: buildPrimaryKey(table, columns, children.primaryKeyClause ?? []),
    families: (children.familyClause ?? []).map(buildFamily),
    uniques: buildUniques(columns, children.uniqueClause ?? []),
    checks: buildChecks(columns, children.checkClause ?? []),
    position,
  }
}

function buildFamily({ children }: cst.FamilyClauseCstNode): FamilyClause {
  const name = buildName(only(only(children.familyName).children.Name))
  return { name, columns: columnsOf(children) }
}

function buildUniques(
  columns: readonly cst.ColumnClauseCstNode[],
  ofTable: readonly cst.UniqueClauseCstNode[],
): readonly UniqueClause[] {
  const ofColumns = columns.flatMap((column) => {
    const unique = uniqueOf(column)
    if (unique === undefined) return []
    const key = { column: columnOf(column.children), descending: false }
    return [{ offset: positionOfNode(unique).offset, clause: { columns: [key] } }]
  })
  const others = ofTable.map((node) => {
    const { constraintName } = node.children
    const name = constraintName && { name: constraintNameOf({ constraintName }) }
    const clause = { ...name, columns: keyColumnsOf(node.children) }
    return { offset: positionOfNode(node).offset, clause }
  })
  return [...ofColumns, ...others]
    .sort((left, right) => left.offset - right.offset)
    .map(({ clause }) => clause)
}

/** The UNIQUE beside a column. */
export function uniqueOf({
  children,
}: cst.ColumnClauseCstNode): cst.ColumnConstraintCstNode | undefined {
  return children.columnConstraint?.find((each) => each.children.UNIQUE !== undefined)
}

function buildChecks(
  columns: readonly cst.ColumnClauseCstNode[],
  ofTable: readonly cst.CheckClauseCstNode[],
): readonly CheckClause[] {
  const ofColumns = columns.flatMap(checksOf)
  return [...ofColumns, ...ofTable]
    .sort((left, right) => positionOfNode(left).offset - positionOfNode(right).offset)
    .map(buildCheck)
}

/** Those that stand beside a column. */
export function checksOf({ children }: cst.ColumnClauseCstNode): cst.CheckClauseCstNode[] {
  return (children.columnConstraint ?? []).flatMap((each) => each.children.checkClause ?? [])
}

/** Throws `ParseError`. */
export function buildCheck({ children }: cst.CheckClauseCstNode): CheckClause {
  const condition = buildRowExpression(only(children.expression))
  const { constraintName } = children
  return constraintName === undefined
    ? { condition }
    : { name: constraintNameOf({ constraintName }), condition }
}

export function constraintNameOf(children: { constraintName: cst.ConstraintNameCstNode[] }): Name {
  return buildName(only(only(children.constraintName).children.Name))
}

function buildPrimaryKey(
  table: Name,
  columns: readonly cst.ColumnClauseCstNode[],
  clauses: readonly cst.PrimaryKeyClauseCstNode[],
): readonly KeyClause[] {
  const declared: Array<{ position: Position; key: readonly KeyClause[] }> = []
  for (const column of columns) {
    for (const { children } of column.children.columnConstraint ?? []) {
      if (children.PRIMARY === undefined) continue
      const name = columnOf(column.children)
      const position = positionOfToken(only(children.PRIMARY))
      declared.push({ position, key: [{ column: name, descending: false }] })
    }
  }
  for (const clause of clauses) {
    const key = keyColumnsOf(clause.children)
    declared.push({ position: positionOfNode(clause), key })
  }
  const [first, second] = declared.sort(
    (left, right) => left.position.offset - right.position.offset,
  )
  if (first === undefined) {
    throw syntaxError(`the table ${table.text} has no primary key`, table.position, {
      token: shownToken(table.text),
      hint: 'mark one column as PRIMARY KEY, or end the list with PRIMARY KEY (column, …)',
    })
  }
  if (second !== undefined) {
    throw syntaxError('a second primary key', second.position, {
      token: 'PRIMARY',
      hint: 'a key of several columns is one clause after them: PRIMARY KEY (column, …)',
    })
  }
  return first.key
}
