// SPDX-License-Identifier: Apache-2.0

import type { TokenType } from 'chevrotain'
import * as keyword from '../grammar/keywords.ts'
import * as token from '../grammar/tokens.ts'
import { type Habit, rewrite, type WrongStatement } from './wrong-statement.ts'

// Other names for tables and columns, and more than one table.

const ONE_TABLE = 'a statement reads one table; read the other one in a second statement'
const NO_QUALIFIER = 'here is one table, so its columns are named alone'
const NO_ALIAS = 'a statement that writes names its table as it is'

const OTHER_TABLES: ReadonlySet<string> = new Set([
  ...['JOIN', 'INNER', 'LEFT', 'RIGHT', 'FULL', 'CROSS', 'NATURAL', 'OUTER', 'LATERAL', 'USING'],
  ...['UNION', 'INTERSECT', 'EXCEPT'],
])

const NAMES_A_TABLE: ReadonlySet<TokenType> = new Set([keyword.From, keyword.On, keyword.Update])

/** FROM a JOIN b, FROM a, b; the first of two aliases stands before it. */
const secondTable: Habit = (wrong) => {
  const { tokens, at } = wrong
  const next = tokens[at]
  if (next === undefined) return undefined
  const table = tokens.findLastIndex(
    ({ tokenType }, index) => index < at && tokenType === keyword.From,
  )
  if (table < 0) return undefined
  const isList = isAfterAlias(wrong, table)
  const isJoin = OTHER_TABLES.has(next.image.toUpperCase())
  return isList || isJoin ? { advice: ONE_TABLE } : undefined
}

/** FROM a, b and FROM a x, b y; the alias is met first. */
function isAfterAlias({ tokens, at }: WrongStatement, from: number): boolean {
  const comma = tokens.findIndex(
    ({ tokenType }, index) => index > from && tokenType === token.Comma,
  )
  return comma >= 0 && at <= comma && comma - from <= 4 && at > from
}

/** t.a -> a, where a name of a column stands alone; everywhere in what does not read. */
const qualifiedName: Habit = (wrong) => {
  const { tokens, at } = wrong
  if (!isDot(wrong, at)) return undefined
  const dots = tokens.flatMap((_, index) => {
    return isDot(wrong, index) && (index === at || !isRead(wrong)) ? [index] : []
  })
  const removed = dots.flatMap((index) => [[index - 1, ''] as const, [index, ''] as const])
  return { advice: NO_QUALIFIER, rewritten: rewrite(wrong, new Map(removed)) }
}

/** A dot between two names, but not that of a schema before a table. */
function isDot({ tokens }: WrongStatement, at: number): boolean {
  const [before, dot, after] = [tokens[at - 1], tokens[at], tokens[at + 1]]
  return (
    dot?.image === '.' &&
    before !== undefined &&
    token.isOf(before.tokenType, keyword.Name) &&
    after !== undefined &&
    (token.isOf(after.tokenType, keyword.Name) || after.tokenType === token.Star)
  )
}

function isRead({ tokens }: WrongStatement): boolean {
  const first = tokens[0]?.tokenType
  return first === keyword.Scan || first === keyword.Get
}

/** FROM t a -> FROM t AS a in what reads; DELETE FROM t a, DELETE FROM t AS a, UPDATE t a -> without the a */
const tableAlias: Habit = (wrong) => {
  const { tokens } = wrong
  const at = tokens[wrong.at]?.tokenType === keyword.As ? wrong.at + 1 : wrong.at
  const alias = tokens[at]
  if (alias === undefined || !token.isOf(alias.tokenType, keyword.Name)) return undefined
  const as = tokens[at - 1]?.tokenType === keyword.As
  const table = as ? at - 2 : at - 1
  const before = tokens[table - 1]?.tokenType
  if (before === undefined || !NAMES_A_TABLE.has(before)) return undefined
  if (isRead(wrong)) {
    const rewritten = rewrite(wrong, new Map([[at, `AS ${alias.image}`]]))
    return { advice: 'a table gets another name by AS', rewritten, onlyRewritten: true }
  }
  const removed = as ? [at - 1, at] : [at]
  for (const [index, { image }] of tokens.entries()) {
    if (isDot(wrong, index + 1) && image === alias.image) removed.push(index, index + 1)
  }
  const rewritten = rewrite(wrong, new Map(removed.map((index) => [index, ''])))
  return { advice: NO_ALIAS, rewritten, onlyRewritten: true }
}

/** SCAN a b FROM t -> SCAN a AS b FROM t */
const columnAlias: Habit = (wrong) => {
  const { tokens, at } = wrong
  const [before, alias] = [tokens[at - 1], tokens[at]]
  if (!isRead(wrong)) return undefined
  if (alias === undefined || !token.isOf(alias.tokenType, keyword.Name)) return undefined
  if (before === undefined || at < 2) return undefined
  const rewritten = rewrite(wrong, new Map([[at, `AS ${alias.image}`]]))
  return { advice: 'a column gets another name by AS', rewritten, onlyRewritten: true }
}

export const TABLE_HABITS: readonly Habit[] = [secondTable, qualifiedName, tableAlias, columnAlias]
