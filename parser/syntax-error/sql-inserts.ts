// SPDX-License-Identifier: Apache-2.0

import * as keyword from '../grammar/keywords.ts'
import * as token from '../grammar/tokens.ts'
import { type Advice, indexOf, listAt, piece, type WrongStatement } from './wrong-statement.ts'

/** The forms of INSERT that other databases have. */
export function foreignInsert(wrong: WrongStatement): Advice | undefined {
  const { tokens, at } = wrong
  if (tokens[0]?.tokenType !== keyword.Insert) return undefined
  if (at === 1) return ofModifier(wrong) ?? withoutInto(wrong)
  const selected = fromSelect(wrong)
  if (selected !== undefined) return selected
  if (at === 3) return withoutColumns(wrong)
  const on = tokens.findLastIndex(({ tokenType }) => tokenType === keyword.On)
  if (on < 0 || at <= on || at > on + 4) return undefined
  return ofConflict(wrong, on)
}

/** INSERT OR IGNORE INTO …, INSERT IGNORE INTO …, INSERT OR REPLACE INTO … */
function ofModifier(wrong: WrongStatement): Advice | undefined {
  const into = indexOf(wrong, keyword.Into)
  const words = piece(wrong, 1, Math.max(into, 1)).toUpperCase()
  if (words === 'IGNORE' || words === 'OR IGNORE') {
    const rewritten = `INSERT ${piece(wrong, into)} ON CONFLICT DO NOTHING`
    return { advice: 'duplicates are left out by ON CONFLICT DO NOTHING', rewritten }
  }
  return words === 'OR REPLACE' ? { advice: UPSERT } : undefined
}

const UPSERT = 'SET … ON table WHERE full primary key inserts or updates a row'

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

/** ON CONFLICT (id) DO …, ON DUPLICATE KEY UPDATE … */
function ofConflict(wrong: WrongStatement, on: number): Advice | undefined {
  const { tokens } = wrong
  if (tokens[on + 1]?.image.toUpperCase() === 'DUPLICATE') return { advice: UPSERT }
  if (tokens[on + 1]?.tokenType !== keyword.Conflict) return undefined
  const does = tokens.findIndex(({ tokenType }, index) => index > on && tokenType === keyword.Do)
  if (does < 0) return undefined
  if (tokens[does + 1]?.tokenType === keyword.Nothing) {
    const rest = `${piece(wrong, 0, on)} ON CONFLICT ${piece(wrong, does)}`
    return { advice: 'ON CONFLICT is of the primary key and every unique index', rewritten: rest }
  }
  return { advice: UPSERT, rewritten: setInstead(wrong, on, does) }
}

/**
 * INSERT INTO t (id, n) VALUES (1, 2) ON CONFLICT (id) DO UPDATE SET n = excluded.n
 * -> SET n = 2 ON t WHERE id = 1, which is the same where every column but the key is overwritten.
 */
function setInstead(wrong: WrongStatement, on: number, does: number): string | undefined {
  const columns = listAt(wrong, 3)
  const open = wrong.tokens.findIndex(({ tokenType }) => tokenType === keyword.Values) + 1
  const values = listAt(wrong, open)
  const key = new Set(listAt(wrong, on + 2))
  const returning = indexOf(wrong, keyword.Returning)
  const end = returning < 0 ? wrong.tokens.length : returning
  const overwritten = new Set(
    piece(wrong, does + 3, end)
      .split(',')
      .map((each) => /^\s*(\w+)\s*=\s*excluded\s*\.\s*\1\s*$/i.exec(each)?.[1]),
  )
  const isKey = (column: string) => key.has(column)
  const others = columns.filter((column) => !isKey(column))
  const same =
    columns.length === values.length &&
    isSingleRow(wrong, open, on) &&
    overwritten.size === others.length &&
    others.every((column) => overwritten.has(column))
  if (!same || key.size === 0) return undefined
  const equated = columns.map((column, index) => ({ column, text: `${column} = ${values[index]}` }))
  const assigned = equated.filter(({ column }) => !isKey(column)).map(({ text }) => text)
  const where = equated.filter(({ column }) => isKey(column)).map(({ text }) => text)
  const set = `SET ${assigned.join(', ')} ON ${piece(wrong, 2, 3)} WHERE ${where.join(' AND ')}`
  return `${set} ${piece(wrong, end)}`.trim()
}

/** Whether the parenthesis that opens at `open` closes just before `end`. */
function isSingleRow({ tokens }: WrongStatement, open: number, end: number): boolean {
  let depth = 0
  for (let at = open; at < end; at += 1) {
    const type = tokens[at]?.tokenType
    if (type === token.LeftParenthesis) depth += 1
    if (type === token.RightParenthesis) depth -= 1
    if (depth === 0) return at === end - 1
  }
  return false
}
