// SPDX-License-Identifier: Apache-2.0

import type { CstNode } from 'chevrotain'
import type * as ast from './ast.ts'
import { only, positionOfNode, textOfNode } from './cst-position.ts'
import { buildExpression } from './expression-builder.ts'
import type * as cst from './grammar-cst.gen.ts'
import { buildLiteral, buildName, buildParameter } from './literal.ts'
import { shownToken, syntaxError } from './parse-error.ts'
import { buildCreateTable, buildDirectedColumn } from './table-builder.ts'

/**
 * Turns the concrete syntax tree into statements: one function for each rule of the grammar. `text`
 * is the source, whose expressions name the columns of an answer. Throws `ParseError` for what a
 * grammar cannot say, such as a row of VALUES that is shorter than the list of columns.
 */
export function buildScript(script: cst.ScriptCstNode, text: string): readonly ast.Statement[] {
  return (script.children.statement ?? []).map((node) => buildStatement(node, text))
}

function buildStatement({ children }: cst.StatementCstNode, text: string): ast.Statement {
  if (children.dataStatement !== undefined) {
    return buildDataStatement(only(children.dataStatement), text)
  }
  if (children.beginStatement !== undefined) return buildBegin(only(children.beginStatement))
  if (children.commitStatement !== undefined) {
    return { kind: 'commit', position: positionOfNode(only(children.commitStatement)) }
  }
  if (children.rollbackStatement !== undefined) {
    return { kind: 'rollback', position: positionOfNode(only(children.rollbackStatement)) }
  }
  if (children.explainStatement !== undefined) {
    return buildExplain(only(children.explainStatement), text)
  }
  if (children.createTableStatement !== undefined) {
    return buildCreateTable(only(children.createTableStatement))
  }
  if (children.dropTableStatement !== undefined) {
    return buildDropTable(only(children.dropTableStatement))
  }
  if (children.showTablesStatement !== undefined) {
    return { kind: 'showTables', position: positionOfNode(only(children.showTablesStatement)) }
  }
  const describe = only(children.describeStatement)
  return { kind: 'describe', table: tableOf(describe.children), position: positionOfNode(describe) }
}

function buildDataStatement(
  { children }: cst.DataStatementCstNode,
  text: string,
): ast.DataStatement {
  if (children.getStatement !== undefined) return buildGet(only(children.getStatement), text)
  if (children.scanStatement !== undefined) return buildScan(only(children.scanStatement), text)
  if (children.setStatement !== undefined) return buildSet(only(children.setStatement))
  if (children.insertStatement !== undefined) return buildInsert(only(children.insertStatement))
  return buildDelete(only(children.deleteStatement))
}

function buildBegin(node: cst.BeginStatementCstNode): ast.BeginStatement {
  return {
    kind: 'begin',
    readOnly: node.children.READ !== undefined,
    ...asOfOf(node.children),
    position: positionOfNode(node),
  }
}

function buildGet(node: cst.GetStatementCstNode, text: string): ast.GetStatement {
  const { children } = node
  return {
    kind: 'get',
    projection: buildProjection(only(children.projection), text),
    table: tableOf(children),
    ...asOfOf(children),
    where: buildExpression(only(only(children.whereClause).children.expression)),
    forUpdate: children.FOR !== undefined,
    position: positionOfNode(node),
  }
}

function buildScan(node: cst.ScanStatementCstNode, text: string): ast.ScanStatement {
  const { children } = node
  const order = children.orderByClause?.[0]?.children.directedColumn ?? []
  return {
    kind: 'scan',
    projection: buildProjection(only(children.projection), text),
    table: tableOf(children),
    ...asOfOf(children),
    ...hintOf(children),
    ...whereOf(children),
    orderBy: order.map(buildDirectedColumn),
    ...limitOf(children),
    position: positionOfNode(node),
  }
}

function buildSet(node: cst.SetStatementCstNode): ast.SetStatement {
  const { children } = node
  return {
    kind: 'set',
    assignments: children.assignment.map((assignment) => ({
      column: buildName(only(only(assignment.children.columnName).children.Name)),
      value: buildExpression(only(assignment.children.expression)),
    })),
    table: tableOf(children),
    where: buildExpression(only(only(children.whereClause).children.expression)),
    position: positionOfNode(node),
  }
}

function buildInsert(node: cst.InsertStatementCstNode): ast.InsertStatement {
  const { children } = node
  const columns = children.columnName.map((column) => buildName(only(column.children.Name)))
  return {
    kind: 'insert',
    table: tableOf(children),
    columns,
    rows: children.insertedRow.map((row) => buildInsertedRow(row, columns.length)),
    position: positionOfNode(node),
  }
}

function buildInsertedRow(row: cst.InsertedRowCstNode, columns: number): ast.Expression[] {
  const values = row.children.expression.map((node) => {
    const value = buildExpression(node)
    if (value.kind === 'column') throw columnInValues(value)
    return value
  })
  if (values.length === columns) return values
  const message = `${counted(values.length, 'value')} for ${counted(columns, 'column')}`
  throw syntaxError(message, positionOfNode(row), { token: '(' })
}

function columnInValues({ name, position }: ast.ColumnExpression): Error {
  const token = shownToken(name)
  return syntaxError('VALUES cannot name a column: there is no row yet', position, {
    token,
    hint: `a string is written in single quotes: '${token.replaceAll("'", "''")}'`,
  })
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function buildDelete(node: cst.DeleteStatementCstNode): ast.DeleteStatement {
  const { children } = node
  return {
    kind: 'delete',
    table: tableOf(children),
    ...hintOf(children),
    ...whereOf(children),
    ...limitOf(children),
    position: positionOfNode(node),
  }
}

function buildExplain(node: cst.ExplainStatementCstNode, text: string): ast.ExplainStatement {
  return {
    kind: 'explain',
    analyze: node.children.ANALYZE !== undefined,
    statement: buildDataStatement(only(node.children.dataStatement), text),
    position: positionOfNode(node),
  }
}

function buildDropTable(node: cst.DropTableStatementCstNode): ast.DropTableStatement {
  return {
    kind: 'dropTable',
    ifExists: node.children.IF !== undefined,
    table: tableOf(node.children),
    position: positionOfNode(node),
  }
}

function buildProjection({ children }: cst.ProjectionCstNode, text: string): ast.Projection {
  if (children.projectionItem === undefined) return { kind: 'allColumns' }
  const items = children.projectionItem.map(({ children: item }) => {
    const expression = buildExpression(only(item.expression))
    return { expression, label: labelOf(item, expression, text) }
  })
  return { kind: 'expressions', items }
}

function labelOf(
  item: cst.ProjectionItemCstChildren,
  expression: ast.Expression,
  text: string,
): string {
  if (item.label !== undefined) return buildName(only(only(item.label).children.Name)).text
  // The quotes of a quoted column are no part of its name.
  if (expression.kind === 'column') return expression.name
  return textOfNode(only(item.expression) as CstNode, text)
}

// The clauses that several statements share. An absent clause is an absent field.

function tableOf(children: { tableName: cst.TableNameCstNode[] }): ast.Name {
  return buildName(only(only(children.tableName).children.Name))
}

function asOfOf(children: { asOf?: cst.AsOfCstNode[] }): { asOf?: ast.Expression } {
  if (children.asOf === undefined) return {}
  const stamp = only(only(children.asOf).children.stamp).children
  if (stamp.Parameter !== undefined) return { asOf: buildParameter(only(stamp.Parameter)) }
  return { asOf: buildLiteral(only(stamp.Integer ?? stamp.Text)) }
}

function hintOf(children: { keyHint?: cst.KeyHintCstNode[] }): { hint?: ast.KeyHint } {
  if (children.keyHint === undefined) return {}
  return { hint: { kind: 'primaryKey', position: positionOfNode(only(children.keyHint)) } }
}

function whereOf(children: { whereClause?: cst.WhereClauseCstNode[] }): { where?: ast.Expression } {
  if (children.whereClause === undefined) return {}
  return { where: buildExpression(only(only(children.whereClause).children.expression)) }
}

function limitOf(children: { limitClause?: cst.LimitClauseCstNode[] }): { limit?: ast.Expression } {
  if (children.limitClause === undefined) return {}
  const count = only(only(children.limitClause).children.rowCount).children
  if (count.Parameter !== undefined) return { limit: buildParameter(only(count.Parameter)) }
  return { limit: buildLiteral(only(count.Integer)) }
}
