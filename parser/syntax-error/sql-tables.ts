// SPDX-License-Identifier: Apache-2.0

import type { TokenType } from 'chevrotain'
import { nameText } from '../builders/literal.ts'
import * as keyword from '../grammar/keywords.ts'
import * as token from '../grammar/tokens.ts'
import { type Habit, rewrite, type WrongStatement } from './wrong-statement.ts'

// Other names for tables and columns, and more than one table.

const ONE_TABLE = 'a statement reads one table; read the other one in a second statement'
const BY_KEY = 'a row of another table is looked up by its key: LOOKUP table BY table.key = …'
const NO_QUALIFIER = 'here is one table, so its columns are named alone'
const NO_SCHEMA = 'there is one database, and no schema: a table is named alone'
const NO_ALIAS = 'a statement that writes names its table as it is'

const JOINS: ReadonlySet<string> = new Set([
  ...['JOIN', 'INNER', 'LEFT', 'RIGHT', 'FULL', 'CROSS', 'NATURAL', 'OUTER', 'LATERAL', 'USING'],
])
/** Those that LOOKUP is not, also after an alias, which would be put right in vain. */
const OTHER_JOINS: ReadonlySet<string> = new Set(['RIGHT', 'FULL', 'CROSS', 'NATURAL'])
const SET_OPERATIONS: ReadonlySet<string> = new Set(['UNION', 'INTERSECT', 'EXCEPT', 'MINUS'])

const NAMES_A_TABLE: ReadonlySet<TokenType> = new Set([
  ...[keyword.From, keyword.On, keyword.Update, keyword.Into],
])

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
  const word = next.image.toUpperCase()
  if (SET_OPERATIONS.has(word)) return { advice: ONE_TABLE }
  const isJoin = JOINS.has(word) || OTHER_JOINS.has(imageAt(wrong, at + 1))
  return isList || isJoin ? { advice: BY_KEY } : undefined
}

/** FROM a JOIN b x ON … LEFT JOIN c ON … -> FROM a LOOKUP b AS x BY … LOOKUP c BY … OPTIONAL */
const joinOn: Habit = (wrong) => {
  if (!isRead(wrong)) return undefined
  const changes = new Map<number, string>()
  let next = wrong.at
  while (JOINS.has(imageAt(wrong, next))) {
    const end = noteJoin(wrong, next, changes)
    if (end === undefined) return undefined
    next = end
  }
  if (changes.size === 0) return undefined
  return { advice: BY_KEY, rewritten: rewrite(wrong, changes), onlyRewritten: true }
}

/** Notes how the tokens of one join are written, and returns the one after it; undefined for one of another kind. */
function noteJoin(
  wrong: WrongStatement,
  from: number,
  changes: Map<number, string>,
): number | undefined {
  const { tokens } = wrong
  const isLeft = imageAt(wrong, from) === 'LEFT'
  let at = from
  if (isLeft || imageAt(wrong, at) === 'INNER') changes.set(at++, '')
  if (isLeft && imageAt(wrong, at) === 'OUTER') changes.set(at++, '')
  if (imageAt(wrong, at) !== 'JOIN') return undefined
  changes.set(at, 'LOOKUP')
  at += 2
  if (tokens[at]?.tokenType === keyword.As) at += 2
  else if (tokens[at]?.tokenType !== keyword.On) {
    changes.set(at, `AS ${tokens[at]?.image}`)
    at += 1
  }
  if (tokens[at]?.tokenType !== keyword.On) return undefined
  changes.set(at, 'BY')
  const end = tokens.findIndex(
    ({ tokenType, image }, index) =>
      index > at && (AFTER_TABLES.has(tokenType) || JOINS.has(image.toUpperCase())),
  )
  const after = end < 0 ? tokens.length : end
  if (isLeft) changes.set(after - 1, `${tokens[after - 1]?.image} OPTIONAL`)
  return after
}

const AFTER_TABLES: ReadonlySet<TokenType> = new Set([
  ...[keyword.Where, keyword.Group, keyword.Order, keyword.Limit, keyword.For],
])

function imageAt({ tokens }: WrongStatement, index: number): string {
  return tokens[index]?.image.toUpperCase() ?? ''
}

/** FROM a, b and FROM a x, b y; the alias is met first. */
function isAfterAlias({ tokens, at }: WrongStatement, from: number): boolean {
  const comma = tokens.findIndex(
    ({ tokenType }, index) => index > from && tokenType === token.Comma,
  )
  return comma >= 0 && at <= comma && comma - from <= 4 && at > from
}

const BEFORE_A_TABLE: ReadonlySet<string> = new Set([
  ...['FROM', 'INTO', 'ON', 'UPDATE', 'TABLE', 'EXISTS', 'INDEX', 'JOIN', 'LOOKUP', 'DESCRIBE'],
])

/** t.a -> a, where a name of a column stands alone; everywhere in what does not read. */
const qualifiedName: Habit = (wrong) => {
  const { tokens, at } = wrong
  if (!isDot(wrong, at)) return undefined
  const before = tokens[at - 2]
  if (before?.image === '.') {
    const rewritten = rewrite(wrong, new Map([at - 3, at - 2].map((each) => [each, ''])))
    return { advice: NO_SCHEMA, rewritten }
  }
  if (before !== undefined && BEFORE_A_TABLE.has(before.image.toUpperCase())) {
    const rewritten = rewrite(wrong, new Map([at - 1, at].map((each) => [each, ''])))
    return { advice: NO_SCHEMA, rewritten }
  }
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
  for (const [index, each] of tokens.entries()) {
    const isAlias = isDot(wrong, index + 1) && nameText(each) === nameText(alias)
    if (isAlias) removed.push(index, index + 1)
  }
  const rewritten = rewrite(wrong, new Map(removed.map((index) => [index, ''])))
  return { advice: NO_ALIAS, rewritten, onlyRewritten: true }
}

/** SCAN a b FROM t -> SCAN a AS b FROM t; SCAN a 'b' FROM t and SCAN a AS 'b' FROM t -> SCAN a AS "b" FROM t */
const columnAlias: Habit = (wrong) => {
  const { tokens, at } = wrong
  const [before, alias] = [tokens[at - 1], tokens[at]]
  if (!isRead(wrong) || isInside(wrong, at)) return undefined
  if (alias?.tokenType === token.Text && before !== undefined) {
    const name = alias.image.slice(1, -1).replaceAll("''", "'").replaceAll('"', '""')
    const as = before.tokenType === keyword.As ? '' : 'AS '
    const rewritten = rewrite(wrong, new Map([[at, `${as}"${name}"`]]))
    return { advice: 'a name is quoted by double quotes', rewritten, onlyRewritten: true }
  }
  if (alias === undefined || !token.isOf(alias.tokenType, keyword.Name)) return undefined
  if (before === undefined || at < 2) return undefined
  const rewritten = rewrite(wrong, new Map([[at, `AS ${alias.image}`]]))
  return { advice: 'a column gets another name by AS', rewritten, onlyRewritten: true }
}

function isInside({ tokens }: WrongStatement, at: number): boolean {
  const before = tokens.slice(0, at)
  const count = (type: TokenType) => before.filter(({ tokenType }) => tokenType === type).length
  return count(token.LeftParenthesis) > count(token.RightParenthesis)
}

export const TABLE_HABITS: readonly Habit[] = [
  joinOn,
  secondTable,
  qualifiedName,
  tableAlias,
  columnAlias,
]
