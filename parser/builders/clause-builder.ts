// SPDX-License-Identifier: Apache-2.0

import type { CstNode } from 'chevrotain'
import type * as ast from '../ast.ts'
import type * as cst from '../grammar/grammar-cst.gen.ts'
import { counted, syntaxError } from '../parse-error.ts'
import { refuseAggregates } from './aggregates.ts'
import { only, positionOfNode, positionOfToken, textOfNode } from './cst-position.ts'
import { buildConjunction, buildExpression, withPrefixes } from './expression-builder.ts'
import { buildLiteral, buildName, buildParameter } from './literal.ts'

// The clauses that several statements share. An absent clause is an absent field.

/** An expression over one row, which holds no aggregates. Throws ParseError when it does. */
export function buildRowExpression(node: cst.ExpressionCstNode): ast.Expression {
  const expression = buildExpression(node)
  refuseAggregates(expression)
  return expression
}

export function tableOf(children: { tableName: cst.TableNameCstNode[] }): ast.Name {
  return buildName(only(only(children.tableName).children.Name))
}

export function indexOf(children: { indexName: cst.IndexNameCstNode[] }): ast.Name {
  return buildName(only(only(children.indexName).children.Name))
}

export function observerOf(children: { observerName: cst.ObserverNameCstNode[] }): ast.Name {
  return buildName(only(only(children.observerName).children.Name))
}

export function columnOf(children: { columnName: cst.ColumnNameCstNode[] }): ast.Name {
  return buildColumnName(only(children.columnName))
}

export function buildColumnName({ children }: cst.ColumnNameCstNode): ast.Name {
  return buildName(only(children.Name))
}

export function columnsOf(children: { columnList: cst.ColumnListCstNode[] }): readonly ast.Name[] {
  return only(children.columnList).children.columnName.map(buildColumnName)
}

function buildDirectedColumn({ children }: cst.DirectedColumnCstNode): ast.KeyClause {
  return { column: columnOf(children), descending: children.DESC !== undefined }
}

/** A column of a key, or a path into one. */
export function buildKeyPart(node: cst.KeyPartCstNode): ast.KeyPartName {
  const column = columnOf(node.children)
  const { pathStep } = node.children
  if (pathStep === undefined) return { column }
  const first = { kind: 'column', name: column.text, position: column.position } as const
  const rest = pathStep.map(buildPathStep)
  return { column, path: { kind: 'binary', first, rest, position: column.position } }
}

function buildPathStep({ children }: cst.PathStepCstNode): ast.BinaryExpression['rest'][number] {
  const arrow = only(children.JsonArrow)
  const operator = arrow.image as ast.BinaryOperator
  const literal = buildLiteral(only(children.Text ?? children.Integer ?? []))
  const operand = withPrefixes(children.Sign, literal)
  return { operator, operand, position: positionOfToken(arrow) }
}

export function keyColumnsOf(children: {
  keyColumnList: cst.KeyColumnListCstNode[]
}): readonly ast.KeyClause[] {
  return only(children.keyColumnList).children.directedColumn.map(buildDirectedColumn)
}

/** `build` makes the expressions: only a SCAN's may hold aggregates. */
export function projectionOf(
  children: { projection: cst.ProjectionCstNode[] },
  text: string,
  build: (node: cst.ExpressionCstNode) => ast.Expression,
): ast.Projection {
  const node = only(children.projection)
  const { projectionItem } = node.children
  if (projectionItem === undefined) return { kind: 'allColumns', position: positionOfNode(node) }
  const items = projectionItem.map(({ children: item }): ast.ProjectionItem => {
    if (item.columnsOfTable !== undefined) {
      const qualifier = buildName(
        only(only(only(item.columnsOfTable).children.qualifier).children.Name),
      )
      return { kind: 'columnsOf', qualifier }
    }
    const { children: labelled } = only(item.labelledExpression)
    const expression = build(only(labelled.expression))
    return { kind: 'expression', expression, label: labelOf(labelled, expression, text) }
  })
  return { kind: 'expressions', items }
}

function labelOf(
  item: cst.LabelledExpressionCstChildren,
  expression: ast.Expression,
  text: string,
): string {
  if (item.label !== undefined) return buildName(only(only(item.label).children.Name)).text
  // Neither the quotes of a quoted column nor its table are part of its name.
  if (expression.kind === 'column') return expression.name
  return textOfNode(only(item.expression) as CstNode, text)
}

export function tableReadOf(children: { tableRead: cst.TableReadCstNode[] }): {
  readonly table: ast.Name
  readonly alias?: ast.Name
  readonly asOf?: ast.Expression
} {
  const { children: read } = only(children.tableRead)
  return { table: tableOf(read), ...aliasOf(read), ...asOfOf(read) }
}

export function lookupsOf(children: { lookupClause?: cst.LookupClauseCstNode[] }): {
  readonly lookups?: readonly ast.Lookup[]
} {
  const { lookupClause } = children
  return lookupClause === undefined ? {} : { lookups: lookupClause.map(buildLookup) }
}

function buildLookup(node: cst.LookupClauseCstNode): ast.Lookup {
  const { children } = node
  const by = buildConjunction(only(children.conjunction))
  refuseAggregates(by)
  return {
    table: tableOf(children),
    ...aliasOf(children),
    by,
    isOptional: children.OPTIONAL !== undefined,
    position: positionOfNode(node),
  }
}

function aliasOf(children: { tableAlias?: cst.TableAliasCstNode[] }): { alias?: ast.Name } {
  if (children.tableAlias === undefined) return {}
  return { alias: buildName(only(only(children.tableAlias).children.Alias)) }
}

export function orderByOf(children: {
  orderByClause?: cst.OrderByClauseCstNode[]
}): readonly ast.OrderPart[] {
  const parts = children.orderByClause?.[0]?.children.orderPart ?? []
  return parts.map(({ children: { expression, DESC: descending } }) => ({
    expression: buildExpression(only(expression)),
    descending: descending !== undefined,
  }))
}

export function groupByOf(children: { groupByClause?: cst.GroupByClauseCstNode[] }): {
  readonly groupBy: readonly ast.Expression[]
  readonly having?: ast.Expression
} {
  const { expression = [], havingClause } = children.groupByClause?.[0]?.children ?? {}
  const groupBy = expression.map(buildRowExpression)
  if (havingClause === undefined) return { groupBy }
  return { groupBy, having: buildExpression(only(only(havingClause).children.expression)) }
}

export function asOfOf(children: { asOf?: cst.AsOfCstNode[] }): { asOf?: ast.Expression } {
  if (children.asOf === undefined) return {}
  return { asOf: buildStamp(only(only(children.asOf).children.stamp)) }
}

export function buildStamp({ children }: cst.StampCstNode): ast.Expression {
  if (children.Parameter !== undefined) return buildParameter(only(children.Parameter))
  return buildLiteral(only(children.Integer ?? children.Text))
}

export function hintOf(children: { keyHint?: cst.KeyHintCstNode[] }): { hint?: ast.KeyHint } {
  if (children.keyHint === undefined) return {}
  const node = only(children.keyHint)
  const position = positionOfNode(node)
  const { indexName } = node.children
  if (indexName === undefined) return { hint: { kind: 'primaryKey', position } }
  return { hint: { kind: 'index', index: indexOf({ indexName }), position } }
}

export function buildWhere(children: { whereClause: cst.WhereClauseCstNode[] }): ast.Expression {
  return buildRowExpression(only(only(children.whereClause).children.expression))
}

export function whereOf(children: { whereClause?: cst.WhereClauseCstNode[] }): {
  where?: ast.Expression
} {
  const { whereClause } = children
  return whereClause === undefined ? {} : { where: buildWhere({ whereClause }) }
}

export function limitOf(children: { limitClause?: cst.LimitClauseCstNode[] }): {
  limit?: ast.Expression
} {
  if (children.limitClause === undefined) return {}
  const count = only(only(children.limitClause).children.rowCount).children
  if (count.Parameter !== undefined) return { limit: buildParameter(only(count.Parameter)) }
  return { limit: buildLiteral(only(count.Integer)) }
}

export function returningOf(
  children: { returningClause?: cst.ReturningClauseCstNode[] },
  text: string,
): { returning?: ast.Projection; into?: ast.Into } {
  if (children.returningClause === undefined) return {}
  const { children: clause } = only(children.returningClause)
  const returning = projectionOf(clause, text, buildRowExpression)
  return { returning, ...intoOf(clause, returning) }
}

/** Throws ParseError for a name that stands twice, and for more or fewer names than values. */
export function intoOf(
  children: { intoClause?: cst.IntoClauseCstNode[] },
  projection: ast.Projection,
): { into?: ast.Into } {
  if (children.intoClause === undefined) return {}
  const node = only(children.intoClause)
  const position = positionOfNode(node)
  const names = node.children.NamedParameter.map((token) => ({
    text: token.image.slice(1),
    position: positionOfToken(token),
  }))
  const twice = names.find(({ text }, at) => names.findIndex((each) => each.text === text) < at)
  if (twice !== undefined) {
    const shown = `:${twice.text}`
    throw syntaxError(`INTO names ${shown} twice`, twice.position, { token: shown })
  }
  if (projection.kind === 'expressions' && projection.items.length !== names.length) {
    const message = `INTO has ${counted(names.length, 'name')} for ${counted(projection.items.length, 'value')}`
    throw syntaxError(message, position, { token: 'INTO' })
  }
  return { into: { names, position } }
}
