// SPDX-License-Identifier: Apache-2.0

import type * as ast from '../ast.ts'
import type * as cst from '../grammar/grammar-cst.gen.ts'
import { counted, shownToken, syntaxError } from '../parse-error.ts'
import {
  buildKeyPart,
  buildRowExpression,
  buildWhere,
  columnOf,
  columnsOf,
  groupByOf,
  hintOf,
  intoOf,
  limitOf,
  lookupsOf,
  orderByOf,
  projectionOf,
  returningOf,
  tableOf,
  tableReadOf,
  whereOf,
} from './clause-builder.ts'
import { only, positionOfNode } from './cst-position.ts'
import { buildExpression } from './expression-builder.ts'

/** One function for each statement that reads or writes rows. Throws `ParseError`. */
export function buildDataStatement(
  { children }: cst.DataStatementCstNode,
  text: string,
): ast.DataStatement {
  if (children.getStatement !== undefined) return buildGet(only(children.getStatement), text)
  if (children.scanStatement !== undefined) return buildScan(only(children.scanStatement), text)
  if (children.setStatement !== undefined) return buildSet(only(children.setStatement), text)
  if (children.insertStatement !== undefined) {
    return buildInsert(only(children.insertStatement), text)
  }
  return buildDelete(only(children.deleteStatement), text)
}

function buildGet(node: cst.GetStatementCstNode, text: string): ast.GetStatement {
  const { children } = node
  const projection = projectionOf(children, text, buildRowExpression)
  return {
    kind: 'get',
    projection,
    ...tableReadOf(children),
    ...lookupsOf(children),
    where: buildWhere(children),
    forUpdate: children.FOR !== undefined,
    ...intoOf(children, projection),
    position: positionOfNode(node),
  }
}

function buildScan(node: cst.ScanStatementCstNode, text: string): ast.ScanStatement {
  const { children } = node
  const projection = projectionOf(children, text, buildExpression)
  return {
    kind: 'scan',
    ...(children.DISTINCT === undefined ? {} : ({ distinct: true } as const)),
    projection,
    ...tableReadOf(children),
    ...hintOf(children),
    ...lookupsOf(children),
    ...whereOf(children),
    ...groupByOf(children),
    orderBy: orderByOf(children),
    ...limitOf(children),
    ...intoOf(children, projection),
    position: positionOfNode(node),
  }
}

function buildSet(node: cst.SetStatementCstNode, text: string): ast.SetStatement {
  const { children } = node
  return {
    kind: 'set',
    assignments: assignmentsOf(children),
    table: tableOf(children),
    ...hintOf(children),
    where: buildWhere(children),
    ...preconditionOf(children),
    ...limitOf(children),
    ...returningOf(children, text),
    position: positionOfNode(node),
  }
}

function assignmentsOf(children: { assignment: cst.AssignmentCstNode[] }): ast.Assignment[] {
  return children.assignment.map((assignment) => ({
    column: columnOf(assignment.children),
    value: buildRowExpression(only(assignment.children.expression)),
  }))
}

function preconditionOf(children: { precondition?: cst.PreconditionCstNode[] }): {
  precondition?: ast.Precondition
} {
  if (children.precondition === undefined) return {}
  const node = only(children.precondition)
  const position = positionOfNode(node)
  const { expression, NOT: not } = node.children
  if (expression !== undefined) {
    const condition = buildRowExpression(only(expression))
    return { precondition: { kind: 'condition', condition, position } }
  }
  return { precondition: { kind: not === undefined ? 'exists' : 'notExists', position } }
}

function buildInsert(node: cst.InsertStatementCstNode, text: string): ast.InsertStatement {
  const { children } = node
  const columns = columnsOf(children)
  return {
    kind: 'insert',
    table: tableOf(children),
    columns,
    ...(children.OVERRIDING !== undefined && ({ overridesGenerated: true } as const)),
    rows: buildInsertedRows(only(children.insertedRows), columns.length),
    ...onConflictOf(children),
    ...returningOf(children, text),
    position: positionOfNode(node),
  }
}

function onConflictOf(children: { conflictClause?: cst.ConflictClauseCstNode[] }): {
  onConflict?: ast.ConflictClause
} {
  if (children.conflictClause === undefined) return {}
  const node = only(children.conflictClause)
  const { keyPartList, updateAction } = node.children
  const parts = keyPartList && only(keyPartList).children.keyPart.map(buildKeyPart)
  const columns = parts === undefined ? {} : { columns: parts }
  const action = updateAction === undefined ? NOTHING : buildUpdateAction(only(updateAction))
  return { onConflict: { ...columns, action, position: positionOfNode(node) } }
}

const NOTHING = { kind: 'nothing' } as const

function buildUpdateAction({ children }: cst.UpdateActionCstNode): ast.UpdateAction {
  const assignments = assignmentsOf(children)
  if (children.expression === undefined) return { kind: 'update', assignments }
  return { kind: 'update', assignments, condition: buildRowExpression(only(children.expression)) }
}

export function buildInsertedRows(
  { children }: cst.InsertedRowsCstNode,
  columns: number,
): ast.Expression[][] {
  return children.insertedRow.map((row) => buildInsertedRow(row, columns))
}

function buildInsertedRow(row: cst.InsertedRowCstNode, columns: number): ast.Expression[] {
  const values = row.children.expression.map((node) => {
    const value = buildRowExpression(node)
    if (value.kind === 'column') throw columnInValues(value)
    return value
  })
  if (values.length === columns) return values
  const message = `${counted(values.length, 'value')} for ${counted(columns, 'column')}`
  throw syntaxError(message, positionOfNode(row), { token: '(' })
}

function columnInValues({ name, qualifier, position }: ast.ColumnExpression): Error {
  const token = shownToken(qualifier === undefined ? name : `${qualifier}.${name}`)
  return syntaxError('VALUES cannot name a column: there is no row yet', position, {
    token,
    hint: /^default$/i.test(name)
      ? 'a column is left out of the list where its default counts'
      : `a string is written in single quotes: '${token.replaceAll("'", "''")}'`,
  })
}

function buildDelete(node: cst.DeleteStatementCstNode, text: string): ast.DeleteStatement {
  const { children } = node
  return {
    kind: 'delete',
    table: tableOf(children),
    ...hintOf(children),
    ...whereOf(children),
    ...limitOf(children),
    ...returningOf(children, text),
    position: positionOfNode(node),
  }
}

export function buildCheck(node: cst.CheckStatementCstNode): ast.CheckStatement {
  const { children } = node
  return {
    kind: 'check',
    condition: buildRowExpression(only(children.expression)),
    table: tableOf(children),
    where: buildWhere(children),
    position: positionOfNode(node),
  }
}
