// SPDX-License-Identifier: Apache-2.0

import * as keyword from './keywords.ts'
import { foreignStatement, withoutInto } from './sql-statements.ts'
import * as token from './tokens.ts'
import { SIMILAR_TYPES } from './type-names.ts'
import { type Advice, rewrite, type WrongStatement } from './wrong-statement.ts'

const REWRITTEN_CHARACTERS_MAX = 1_000

/** What to write instead, where the statement shows a habit of SQL or a common slip. */
export function hintFor(wrong: WrongStatement): string | undefined {
  for (const recognise of HABITS) {
    const found = recognise(wrong)
    if (found === undefined) continue
    const { advice, rewritten, onlyRewritten } = found
    const right =
      rewritten !== undefined &&
      rewritten.length <= REWRITTEN_CHARACTERS_MAX &&
      wrong.parses(rewritten)
    if (right) return `${advice}: ${rewritten}`
    if (onlyRewritten !== true) return advice
  }
  return undefined
}

type Habit = (wrong: WrongStatement) => Advice | undefined

const doubleEqual: Habit = (wrong) => {
  if (wrong.tokens[wrong.at]?.tokenType !== token.DoubleEqual) return undefined
  const all = wrong.tokens.flatMap((each, index) =>
    each.tokenType === token.DoubleEqual ? [[index, '='] as const] : [],
  )
  return { advice: 'equality is a single =', rewritten: rewrite(wrong, new Map(all)) }
}

const trailingComma: Habit = (wrong) => {
  const comma = wrong.at - 1
  if (wrong.tokens[comma]?.tokenType !== token.Comma) return undefined
  const rewritten = rewrite(wrong, new Map([[comma, '']]))
  return { advice: 'drop the comma before it', rewritten, onlyRewritten: true }
}

/** 'it's' is the string 'it', glued to a name and an unclosed string. */
const quoteInsideString: Habit = ({ tokens, at }) => {
  const previous = tokens[at - 1]
  const next = tokens[at]
  if (previous?.tokenType !== token.Text || next === undefined) return undefined
  if (previous.startOffset + previous.image.length !== next.startOffset) return undefined
  if (!token.isOf(next.tokenType, keyword.Name)) return undefined
  return { advice: "a quote inside a string is written twice: 'it''s'" }
}

const reservedWordAsName: Habit = (wrong) => {
  const word = wrong.tokens[wrong.at]
  if (word === undefined || !keyword.RESERVED_WORDS.includes(word.tokenType)) return undefined
  const rewritten = rewrite(wrong, new Map([[wrong.at, `"${word.image}"`]]))
  const advice = `${word.tokenType.name} is a reserved word, quoted it is a name`
  return { advice, rewritten, onlyRewritten: true }
}

const foreignCharacter: Habit = (wrong) => {
  const image = wrong.tokens[wrong.at]?.image ?? ''
  const source = rewrite(wrong, new Map())
  switch (image.charAt(0)) {
    case '`':
      return {
        advice: 'names are quoted by double quotes',
        rewritten: source.replace(/`([^`"]+)`/g, '"$1"'),
      }
    case '[':
      return {
        advice: 'names are quoted by double quotes',
        // Without [ inside, or each of many open brackets would look for its end anew.
        rewritten: source.replace(/\[([^[\]"]+)\]/g, '"$1"'),
      }
    case '‘':
    case '’':
    case '“':
    case '”':
      return {
        advice: 'quotes are straight',
        rewritten: source.replace(/[‘’]/g, "'").replace(/[“”]/g, '"'),
      }
    case '.':
      return {
        advice: 'a statement has one table, so its columns are named alone',
        rewritten: rewrite(
          wrong,
          new Map([
            [wrong.at - 1, ''],
            [wrong.at, ''],
          ]),
        ),
      }
    case '#':
      return { advice: 'a comment begins with --' }
    case '@':
      return {
        advice: 'a parameter begins with a colon',
        rewritten: source.replace(/@(\w+)/g, ':$1'),
        onlyRewritten: true,
      }
    default:
      return undefined
  }
}

const chainedComparison: Habit = ({ tokens, at }) => {
  const type = tokens[at]?.tokenType
  if (type === undefined || !token.isOf(type, token.ComparisonOperator)) return undefined
  const before = tokens.slice(0, at).map(({ tokenType }) => tokenType)
  const chained = before.some((each) => token.isOf(each, token.ComparisonOperator))
  if (!chained || !before.includes(keyword.Where)) return undefined
  return { advice: 'comparisons do not chain: write a < b AND b < c, or b BETWEEN a AND c' }
}

const typeLength: Habit = ({ tokens, at }) => {
  if (tokens[at]?.tokenType !== token.LeftParenthesis) return undefined
  if (tokens[0]?.tokenType !== keyword.Create) return undefined
  const written = tokens[at - 1]?.image.toUpperCase() ?? ''
  const type = SIMILAR_TYPES.get(written) ?? written
  return { advice: `a type has no length: ${type}` }
}

const readByRange: Habit = (wrong) => {
  const [first] = wrong.tokens
  if (first?.tokenType !== keyword.Get) return undefined
  const type = wrong.tokens[wrong.at]?.tokenType
  const walks = type === undefined || [keyword.Limit, keyword.Order, keyword.Use].includes(type)
  if (!walks) return undefined
  return {
    advice: 'GET reads rows by their full primary key, SCAN walks rows in key order',
    rewritten: rewrite(wrong, new Map([[0, 'SCAN']])),
    onlyRewritten: true,
  }
}

const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    OFFSET: 'there is no OFFSET: continue behind the last key read, WHERE key > :last',
    JOIN: 'a statement reads one table; read the other one in a second statement',
    INNER: 'a statement reads one table; read the other one in a second statement',
    LEFT: 'a statement reads one table; read the other one in a second statement',
    ILIKE: "LIKE on lower(…) ignores case: lower(name) LIKE 'a%'",
  }),
)

const foreignWord: Habit = ({ tokens, at }) => {
  const advice = WORDS.get(tokens[at]?.image.toUpperCase() ?? '')
  return advice === undefined ? undefined : { advice }
}

/** The first that recognises something decides. */
const HABITS: readonly Habit[] = [
  foreignStatement,
  withoutInto,
  doubleEqual,
  quoteInsideString,
  trailingComma,
  readByRange,
  foreignCharacter,
  chainedComparison,
  typeLength,
  foreignWord,
  reservedWordAsName,
]
