// SPDX-License-Identifier: Apache-2.0

import * as keyword from '../grammar/keywords.ts'
import * as token from '../grammar/tokens.ts'
import {
  type Advice,
  indexOf,
  listAt,
  partsOf,
  piece,
  rewrite,
  type WrongStatement,
} from './wrong-statement.ts'

/** The forms of INSERT that other databases have. */
export function foreignInsert(wrong: WrongStatement): Advice | undefined {
  const { tokens, at } = wrong
  if (tokens[0]?.tokenType !== keyword.Insert) return undefined
  if (at === 1) return ofModifier(wrong) ?? withoutInto(wrong)
  const selected = fromSelect(wrong)
  if (selected !== undefined) return selected
  const special = ofDefaults(wrong) ?? ofAssignments(wrong)
  if (special !== undefined) return special
  if (at === 3) return withoutColumns(wrong)
  const on = tokens.findIndex(({ tokenType }, index) => {
    return tokenType === keyword.On && CONFLICTS.has(tokens[index + 1]?.image.toUpperCase() ?? '')
  })
  const isAlias = tokens[at]?.tokenType === keyword.As && at === on - 2
  return on < 0 || (at <= on && !isAlias) ? undefined : ofConflict(wrong, on)
}

const CONFLICTS: ReadonlySet<string> = new Set(['CONFLICT', 'DUPLICATE'])

/** INSERT OR IGNORE INTO …, INSERT IGNORE INTO …, INSERT OR REPLACE INTO … */
function ofModifier(wrong: WrongStatement): Advice | undefined {
  const into = indexOf(wrong, keyword.Into)
  const words = piece(wrong, 1, Math.max(into, 1)).toUpperCase()
  if (words === 'IGNORE' || words === 'OR IGNORE') {
    const rewritten = `INSERT ${piece(wrong, into)} ON CONFLICT DO NOTHING`
    return { advice: 'duplicates are left out by ON CONFLICT DO NOTHING', rewritten }
  }
  if (words === 'OR REPLACE') return foreignUpsert(wrong)
  return /^OR (ABORT|FAIL|ROLLBACK)$/.test(words)
    ? { advice: 'a duplicate is an error by itself', rewritten: `INSERT ${piece(wrong, into)}` }
    : undefined
}

/**
 * REPLACE INTO t (a, b) VALUES …, INSERT OR REPLACE INTO t … -> INSERT INTO t (a, b) VALUES … ON CONFLICT DO UPDATE SET
 * a = excluded.a, b = excluded.b; those of the key, which cannot be set, are left out where the table is known.
 */
export function foreignUpsert(wrong: WrongStatement): Advice {
  const into = indexOf(wrong, keyword.Into)
  const columns = wrong.tokens[into + 2]?.image === '(' ? listAt(wrong, into + 2) : []
  if (into < 0 || columns.length === 0) return { advice: UPSERT }
  const set = columns.map((column) => `${column} = excluded.${column}`).join(', ')
  const rewritten = `INSERT ${piece(wrong, into)} ON CONFLICT DO UPDATE SET ${set}`
  return { advice: UPSERT, rewritten }
}

/** INSERT INTO t SET a = 1, b = 2 -> INSERT INTO t (a, b) VALUES (1, 2) */
function ofAssignments(wrong: WrongStatement): Advice | undefined {
  if (wrong.tokens[3]?.tokenType !== keyword.SetWord) return undefined
  const parts = partsOf(wrong, 4)
  const columns = parts.map((part) => part.slice(0, part.indexOf('=')).trim()).join(', ')
  const values = parts.map((part) => part.slice(part.indexOf('=') + 1).trim()).join(', ')
  return {
    advice: 'INSERT has its columns before its VALUES',
    rewritten: `${piece(wrong, 0, 3)} (${columns}) VALUES (${values})`,
  }
}

/** INSERT INTO t DEFAULT VALUES, INSERT INTO t () VALUES () */
function ofDefaults({ tokens }: WrongStatement): Advice | undefined {
  const isEmpty = tokens[3]?.image.toUpperCase() === 'DEFAULT' || tokens[4]?.image === ')'
  if (!isEmpty) return undefined
  return {
    advice:
      'INSERT names at least one column, and leaves out those whose default counts: INSERT INTO table (key) VALUES (uuid())',
  }
}

/** What REPLACE, MERGE and UPSERT are here. */
export const UPSERT =
  'SET … ON table WHERE full primary key inserts or updates a row, INSERT … ON CONFLICT DO UPDATE several'

function withoutInto(wrong: WrongStatement): Advice {
  return { advice: 'INSERT needs INTO', rewritten: `INSERT INTO ${piece(wrong, 1)}` }
}

/** INSERT INTO t (a, b) SELECT … -> INSERT INTO t (a, b) VALUES (:a, :b) */
function fromSelect(wrong: WrongStatement): Advice | undefined {
  const { tokens, at } = wrong
  const type = tokens[at]?.tokenType
  if (type !== keyword.Select && type !== keyword.Scan) return undefined
  const advice =
    'INSERT takes VALUES; the rows are read by a SCAN, and inserted in the same transaction'
  const columns = at > 3 ? listAt(wrong, 3) : []
  if (!columns.every((column) => /^[A-Za-z_]\w*$/.test(column)) || columns.length === 0) {
    return { advice }
  }
  const values = columns.map((column) => `:${column}`).join(', ')
  return { advice, rewritten: `${piece(wrong, 0, at)} VALUES (${values})` }
}

/** INSERT without its list of columns; their names are not known here, only how many there are. */
function withoutColumns(wrong: WrongStatement): Advice | undefined {
  if (wrong.tokens[3]?.tokenType !== keyword.Values) return undefined
  const names = listAt(wrong, 4).map((_, index) => `column${index + 1}`)
  return {
    advice: 'INSERT names its columns',
    rewritten: `${piece(wrong, 0, 3)} (${names.join(', ')}) ${piece(wrong, 3)}`,
  }
}

/** ON CONFLICT … DO UPDATE SET … WHERE …, ON CONFLICT ON CONSTRAINT …, ON DUPLICATE KEY UPDATE … */
function ofConflict(wrong: WrongStatement, on: number): Advice | undefined {
  const { tokens, at } = wrong
  if (tokens[on + 1]?.image.toUpperCase() === 'DUPLICATE') return ofDuplicateKey(wrong, on)
  if (tokens[at]?.tokenType === keyword.Where && tokens[at - 1]?.tokenType !== keyword.Conflict) {
    const advice = 'a condition on the row that is there follows IF'
    return { advice, rewritten: rewrite(wrong, new Map([[at, 'IF']])), onlyRewritten: true }
  }
  if (tokens[on + 2]?.tokenType !== keyword.On) return undefined
  return { advice: 'ON CONFLICT names the columns of the primary key or of a unique index' }
}

/** ON DUPLICATE KEY UPDATE n = n + VALUES(n) -> ON CONFLICT DO UPDATE SET n = n + excluded.n */
function ofDuplicateKey(wrong: WrongStatement, on: number): Advice {
  const { tokens } = wrong
  const words = ['CONFLICT', 'DO', 'UPDATE SET']
  const replacements = new Map(words.map((word, index) => [on + 1 + index, word]))
  const alias = tokens[on - 2]?.tokenType === keyword.As ? tokens[on - 1]?.image : undefined
  if (alias !== undefined) for (const word of [on - 2, on - 1]) replacements.set(word, '')
  tokens.forEach(({ tokenType, image }, index) => {
    if (index > on && image === alias) replacements.set(index, 'excluded')
    const [open, name, close] = tokens.slice(index + 1, index + 4)
    const isValue =
      index > on &&
      tokenType === keyword.Values &&
      open?.tokenType === token.LeftParenthesis &&
      close?.tokenType === token.RightParenthesis
    if (!isValue) return
    for (const removed of [index + 1, index + 2, index + 3]) replacements.set(removed, '')
    replacements.set(index, `excluded.${name?.image}`)
  })
  return { advice: 'ON DUPLICATE KEY is ON CONFLICT', rewritten: rewrite(wrong, replacements) }
}
