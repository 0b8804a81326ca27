// SPDX-License-Identifier: Apache-2.0

import type { IToken, TokenType } from 'chevrotain'
import type { ColumnExpression, Expression, Lookup, Name, ScanStatement } from '../ast.ts'
import { shownName } from '../completion/shown-name.ts'
import * as keyword from '../grammar/keywords.ts'
import { type TokenEdit, withNodes } from './rewritten-statement.ts'

type Table = { readonly table: Name; readonly alias?: Name | undefined }
type Equality = {
  readonly node: Expression
  readonly left: ColumnExpression
  readonly right: ColumnExpression
}

/** How tokens are changed, and what statement they make then. */
export type Rewriting = { readonly edits: readonly TokenEdit[]; readonly expected: ScanStatement }

/**
 * The same statement beginning with each of the other tables: what a JOIN finds from the one side, LOOKUP finds only
 * from the side of many. None where a BY is more than columns that equal each other, or a LOOKUP is OPTIONAL.
 */
export function otherLookupOrders(
  statement: ScanStatement,
  tokens: readonly IToken[],
): readonly Rewriting[] {
  const { lookups = [], table, alias, hint, asOf } = statement
  const equalities = lookups.map(equalitiesOf)
  if ((lookups.length === 0 || hint) ?? asOf) return []
  if (equalities.includes(undefined)) return []
  const tables: readonly Table[] = [{ table, alias }, ...lookups]
  const conditions = equalities.flatMap((each) => each ?? [])
  return tables.slice(1).flatMap((first) => {
    const order = lookupsFrom(first, tables, conditions)
    if (order === undefined) return []
    const from = `${tableText(first)}${order.map(lookupText).join('')}`
    const edits = [
      { offset: table.position.offset, tokens: countOfTables(statement, tokens), text: from },
    ]
    const expected = {
      ...statement,
      table: first.table,
      alias: first.alias,
      lookups: order,
    } as ScanStatement
    return [withColumnsOf(nameOf(first), { edits, expected }, conditions), { edits, expected }]
  })
}

/** The tokens from the first table to the last BY. */
function countOfTables({ table, lookups }: ScanStatement, tokens: readonly IToken[]): number {
  const last = lookups?.at(-1)?.position.offset ?? 0
  const start = tokens.findIndex(({ startOffset }) => startOffset === table.position.offset)
  const end = tokens.findIndex(
    ({ startOffset, tokenType }) => startOffset > last && AFTER_LOOKUPS.has(tokenType),
  )
  return (end < 0 ? tokens.length : end) - start
}

const AFTER_LOOKUPS: ReadonlySet<TokenType> = new Set([
  ...[keyword.Where, keyword.Group, keyword.Order, keyword.Limit, keyword.Into],
])

/** The look-ups of all other tables, each by what equals columns of those before it; undefined without such for one. */
function lookupsFrom(
  first: Table,
  tables: readonly Table[],
  conditions: readonly Equality[],
): readonly Lookup[] | undefined {
  const there = [nameOf(first)]
  const lookups: Lookup[] = []
  let open = conditions
  while (there.length < tables.length) {
    const next = tables.find(
      (each) => !there.includes(nameOf(each)) && open.some(joins(nameOf(each), there)),
    )
    if (next === undefined) return undefined
    const { table, alias } = next
    const by = open.filter(joins(nameOf(next), there))
    const { position } = table
    const operands = by.map(({ node }) => node)
    const [only, ...others] = operands as [Expression, ...Expression[]]
    lookups.push({
      ...{ table, position, isOptional: false, ...(alias && { alias }) },
      by: others.length === 0 ? only : { kind: 'logical', operator: 'AND', operands, position },
    })
    open = open.filter((each) => !by.includes(each))
    there.push(nameOf(next))
  }
  return open.length === 0 ? lookups : undefined
}

/** c.id = 'ann' is o.customer = 'ann' where the two are equal: only the first table's own columns bound a walk. */
function withColumnsOf(
  name: string,
  { edits, expected }: Rewriting,
  conditions: readonly Equality[],
): Rewriting {
  const ordered = expected.groupBy.length > 0 || expected.distinct ? [] : expected.orderBy
  const compared = [
    ...(expected.where === undefined ? [] : comparedColumns(expected.where)),
    ...ordered.flatMap(({ expression }) => (expression.kind === 'column' ? [expression] : [])),
  ]
  const replaced = new Map<ColumnExpression, ColumnExpression>()
  for (const { left, right } of conditions) {
    const [own, other] = left.qualifier === name ? [left, right] : [right, left]
    if (own.qualifier !== name) continue
    for (const column of compared) if (isSameColumn(column, other)) replaced.set(column, own)
  }
  const { where, orderBy } = expected
  return {
    edits: [
      ...edits,
      ...[...replaced].map(([{ position }, own]) => ({
        ...{ offset: position.offset, tokens: TOKENS_OF_COLUMN, text: columnText(own) },
      })),
    ],
    expected: { ...expected, ...withNodes({ where, orderBy }, replaced) } as ScanStatement,
  }
}

/** A qualifier, the dot, a name. */
const TOKENS_OF_COLUMN = 3

/**
 * The columns that stand alone on a side of a comparison. In a sum the equal one of another type could give another
 * result: 3 / 2 is not 3.0 / 2.
 */
function comparedColumns(condition: Expression): readonly ColumnExpression[] {
  switch (condition.kind) {
    case 'logical':
      return condition.operands.flatMap(comparedColumns)
    case 'unary':
      return condition.operator === 'NOT' ? comparedColumns(condition.operand) : []
    case 'binary':
      return condition.rest.some(({ operator }) => !COMPARISONS.has(operator))
        ? []
        : columnsAmong([condition.first, ...condition.rest.map(({ operand }) => operand)])
    case 'in': {
      const list = 'kind' in condition.list ? [] : condition.list
      return columnsAmong([condition.operand, ...list])
    }
    case 'between':
      return columnsAmong([condition.operand, condition.lower, condition.upper])
    case 'like':
    case 'isNull':
      return columnsAmong([condition.operand])
    default:
      return []
  }
}

const COMPARISONS: ReadonlySet<string> = new Set(['=', '<>', '<', '<=', '>', '>='])

function columnsAmong(expressions: readonly Expression[]): readonly ColumnExpression[] {
  const values = expressions.flatMap((each) => (each.kind === 'row' ? each.values : [each]))
  return values.filter((each) => each.kind === 'column')
}

function isSameColumn(one: ColumnExpression, other: ColumnExpression): boolean {
  return one.qualifier === other.qualifier && one.name === other.name
}

/** Whether a condition compares a column of the table with one of those that are there. */
function joins(name: string, there: readonly string[]): (equality: Equality) => boolean {
  return ({ left, right }) =>
    (left.qualifier === name && there.includes(right.qualifier ?? '')) ||
    (right.qualifier === name && there.includes(left.qualifier ?? ''))
}

function equalitiesOf({ by, isOptional }: Lookup): readonly Equality[] | undefined {
  const parts = by.kind === 'logical' && by.operator === 'AND' ? by.operands : [by]
  const equalities = parts.map(equalityOf).filter((each) => each !== undefined)
  return isOptional || equalities.length < parts.length ? undefined : equalities
}

function equalityOf(node: Expression): Equality | undefined {
  if (node.kind !== 'binary') return undefined
  const [only, other] = node.rest
  const { first } = node
  if (only === undefined || other !== undefined || only.operator !== '=') return undefined
  if (first.kind !== 'column' || only.operand.kind !== 'column') return undefined
  return { node, left: first, right: only.operand }
}

function nameOf({ table, alias }: Table): string {
  return (alias ?? table).text
}

function tableText({ table, alias }: Table): string {
  return `${shownName(table.text)}${alias ? ` AS ${shownName(alias.text)}` : ''}`
}

function lookupText(lookup: Lookup): string {
  const parts = equalitiesOf(lookup) ?? []
  const by = parts.map(({ left, right }) => `${columnText(left)} = ${columnText(right)}`)
  return ` LOOKUP ${tableText(lookup)} BY ${by.join(' AND ')}`
}

function columnText({ qualifier, name }: ColumnExpression): string {
  return qualifier === undefined ? shownName(name) : `${shownName(qualifier)}.${shownName(name)}`
}
