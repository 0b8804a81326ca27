// SPDX-License-Identifier: Apache-2.0

import { type TokenType, tokenLabel } from 'chevrotain'
import * as keyword from '../grammar/keywords.ts'
import { Comma, Dot, LeftParenthesis, RightParenthesis, Semicolon } from '../grammar/tokens.ts'
import type { Expectation, ExpectedToken } from './expected-tokens.ts'

export const END_OF_TEXT = 'the end of the text'
const OPERATOR = 'an operator'

/** What a rule asks for, whichever of its tokens it is. Parentheses and commas speak for themselves. */
const RULE_WORDS: Readonly<Record<string, string>> = {
  tableName: 'a table name',
  columnName: 'a column name',
  typeName: 'a type',
  indexName: 'an index name',
  observerName: 'an observer name',
  scheduleName: 'a schedule name',
  familyName: 'a family name',
  label: 'a name',
  tableAlias: 'a name',
  stamp: 'a timestamp',
  rowCount: 'a number of rows',
  defaultValue: 'a literal, now() or uuid()',
  wholeNumber: 'a whole number',
  negation: 'an expression',
  factor: 'an expression',
  operand: 'an expression',
  columnOrCall: 'an expression',
  interval: 'an expression',
  qualifier: 'an expression',
  castTail: OPERATOR,
  sum: OPERATOR,
  product: OPERATOR,
  comparisonTail: OPERATOR,
}

/** A word that begins a clause stands for the whole clause; these rules tell them apart. */
const CLAUSE_WORDS: ReadonlyArray<readonly [rule: string, first: TokenType, words: string]> = [
  ['expression', keyword.Or, OPERATOR],
  ['conjunction', keyword.And, OPERATOR],
  ['isNullTail', keyword.Is, OPERATOR],
  ['betweenTail', keyword.Between, 'BETWEEN'],
  ['beginStatement', keyword.Read, 'READ ONLY'],
  ['asOf', keyword.As, 'AS OF'],
  ['tableAlias', keyword.As, 'AS'],
  ['getStatement', keyword.For, 'FOR UPDATE'],
  ['keyHint', keyword.Primary, 'PRIMARY KEY'],
  ['groupByClause', keyword.Group, 'GROUP BY'],
  ['orderByClause', keyword.Order, 'ORDER BY'],
  ['ifNotExists', keyword.If, 'IF NOT EXISTS'],
  ['ifExists', keyword.If, 'IF EXISTS'],
  ['conflictClause', keyword.On, 'ON CONFLICT'],
  ['updateAction', keyword.Update, 'UPDATE SET'],
  ['newIndex', keyword.Unique, 'UNIQUE INDEX'],
  ['newObserver', keyword.Weak, 'WEAK OBSERVER'],
  ['block', keyword.Block, 'BLOCK SUBJECT'],
  ['replayClause', keyword.Replay, 'REPLAY FROM'],
  ['addedColumn', keyword.Add, 'ADD COLUMN'],
  ['addedCheck', keyword.Add, 'ADD CHECK'],
  ['droppedColumn', keyword.Drop, 'DROP COLUMN'],
  ['droppedConstraint', keyword.Drop, 'DROP CONSTRAINT'],
  ['alteredColumn', keyword.Alter, 'ALTER COLUMN'],
  ['renamedColumn', keyword.Rename, 'RENAME COLUMN'],
  ['renamedTable', keyword.Rename, 'RENAME TO'],
  ['showStatement', keyword.Indexes, 'INDEXES FROM'],
  ['showStatement', keyword.Create, 'CREATE TABLE'],
  ['primaryKeyClause', keyword.Primary, 'PRIMARY KEY'],
  ['columnConstraint', keyword.Primary, 'PRIMARY KEY'],
  ['columnConstraint', keyword.Not, 'NOT NULL'],
  ['identityClause', keyword.By, 'BY DEFAULT'],
  ['identityClause', keyword.As, 'AS IDENTITY'],
  ['alteredColumn', keyword.Restart, 'RESTART WITH'],
  ['insertStatement', keyword.Overriding, 'OVERRIDING SYSTEM VALUE'],
  ['precondition', keyword.Not, 'NOT EXISTS'],
]

/** The words of an error: each once, operators and the end of the text last. */
export function expectedWords({ expected, mayEnd }: Expectation): readonly string[] {
  const atStart = expected.some(({ type }) => type === keyword.Begin)
  const afterOperand = expected.some(({ rule }) => rule === 'comparisonTail')
  if (atStart) return ['a statement']
  const words = new Set(
    expected.map((each) => {
      if (afterOperand && PREDICATE_RULES.has(each.rule)) return OPERATOR
      return wordsOf(each)
    }),
  )
  // An opening parenthesis after a column would make it a call, and a dot would make it a table: true, and never what
  // is missing.
  if (expected.some(({ rule }) => rule === 'callArguments'))
    words.delete(tokenLabel(LeftParenthesis))
  if (words.size > 1) words.delete(tokenLabel(Dot))
  for (const last of [OPERATOR, tokenLabel(Semicolon)]) {
    if (words.delete(last)) words.add(last)
  }
  if (mayEnd) words.add(END_OF_TEXT)
  return [...words]
}

/** Their words are operators too, unless a NOT before them already said which. */
const PREDICATE_RULES: ReadonlySet<string> = new Set([
  ...['predicateTail', 'inTail', 'betweenTail', 'likeTail', 'matchTail'],
])

function wordsOf({ type, rule }: ExpectedToken): string {
  const clause = CLAUSE_WORDS.find(([name, first]) => name === rule && first === type)
  if (clause !== undefined) return clause[2]
  if (type === Comma || type === RightParenthesis) return tokenLabel(type)
  if (type === LeftParenthesis && rule !== 'operand') return tokenLabel(type)
  return RULE_WORDS[rule] ?? CATEGORY_WORDS[type.name] ?? tokenLabel(type)
}

/** The words of the dialect that such a token is written as, with those that have to follow; undefined for a value. */
export function keywordOf({ type, rule }: ExpectedToken): string | undefined {
  const clause = CLAUSE_WORDS.find(([name, first]) => name === rule && first === type)
  if (clause !== undefined && clause[2] !== OPERATOR) return clause[2]
  return type.LABEL === type.name ? type.name : undefined
}

/** What is written in more than one way has no text of its own. */
const CATEGORY_WORDS: Readonly<Record<string, string>> = {
  Parameter: 'a parameter',
  Text: 'a text in quotes',
  JsonArrow: "a path such as ->>'name'",
  Sign: 'a number',
  Integer: 'a number',
}

/** `a, b or c` */
export function joined(words: readonly string[]): string {
  if (words.length <= 1) return words.join('')
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
