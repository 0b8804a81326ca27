// SPDX-License-Identifier: Apache-2.0

import * as keyword from './keywords.ts'
import * as token from './tokens.ts'
import { type Advice, indexOf, piece, type WrongStatement } from './wrong-statement.ts'

/** A statement that begins as one of SQL, perhaps behind EXPLAIN, told in the dialect's words. */
export function foreignStatement(wrong: WrongStatement): Advice | undefined {
  const start = statementStart(wrong)
  const first = wrong.tokens[start]
  if (first === undefined || wrong.at < start) return undefined
  const prefix = start === 0 ? '' : `${piece(wrong, 0, start)} `
  const found = recognise({ ...wrong, tokens: wrong.tokens.slice(start), at: wrong.at - start })
  if (found?.rewritten === undefined) return found
  return { ...found, rewritten: prefix + found.rewritten }
}

function statementStart({ tokens }: WrongStatement): number {
  if (tokens[0]?.tokenType !== keyword.Explain) return 0
  return tokens[1]?.tokenType === keyword.Analyze ? 2 : 1
}

function recognise(wrong: WrongStatement): Advice | undefined {
  const type = wrong.tokens[0]?.tokenType
  if (wrong.at === 0) {
    if (type === keyword.Select) return ofSelect(wrong)
    if (type === keyword.Update) return ofUpdate(wrong)
    return ofForeignWord(wrong)
  }
  if (type === keyword.Begin && wrong.at === 1) return ofBegin(wrong)
  if (type === keyword.Insert) return ofInsert(wrong)
  if (type === keyword.Delete && wrong.at === 1) {
    return { advice: 'DELETE needs FROM', rewritten: `DELETE FROM ${piece(wrong, 1)}` }
  }
  return undefined
}

/** GET where the condition only equates columns, since it may then name the full primary key. */
function ofSelect(wrong: WrongStatement): Advice {
  const where = indexOf(wrong, keyword.Where)
  const word = where > 0 && onlyEquates(wrong, where + 1) ? 'GET' : 'SCAN'
  return {
    advice: 'SELECT is written GET for rows by their full primary key, SCAN for a range of rows',
    rewritten: `${word} ${piece(wrong, 1)}`,
  }
}

/** column = value AND column = value … to the end of the statement. */
function onlyEquates({ tokens }: WrongStatement, from: number): boolean {
  for (let index = from; ; index += 4) {
    const [column, operator, , and] = tokens.slice(index, index + 4)
    if (column === undefined || !token.isOf(column.tokenType, keyword.Name)) return false
    if (operator?.tokenType !== token.Equal && operator?.tokenType !== token.DoubleEqual) {
      return false
    }
    if (and === undefined) return true
    if (and.tokenType !== keyword.And) return false
  }
}

/** UPDATE t SET a = 1 WHERE … -> SET a = 1 ON t WHERE … */
function ofUpdate(wrong: WrongStatement): Advice {
  const set = indexOf(wrong, keyword.SetWord)
  const where = indexOf(wrong, keyword.Where)
  const advice = 'UPDATE is written SET … ON table WHERE full primary key'
  if (set < 0 || where < set) return { advice }
  const assignments = piece(wrong, set + 1, where)
  return {
    advice,
    rewritten: `SET ${assignments} ON ${piece(wrong, 1, set)} ${piece(wrong, where)}`,
  }
}

/** INSERT without its list of columns; their names are not known here, only how many there are. */
function ofInsert(wrong: WrongStatement): Advice | undefined {
  if (wrong.at !== 3 || wrong.tokens[3]?.tokenType !== keyword.Values) return undefined
  const names = Array.from({ length: countValues(wrong, 5) }, (_, index) => `column${index + 1}`)
  return {
    advice: 'INSERT names its columns',
    rewritten: `${piece(wrong, 0, 3)} (${names.join(', ')}) ${piece(wrong, 3)}`,
  }
}

/** The values of a row whose opening parenthesis is just before `from`. */
function countValues({ tokens }: WrongStatement, from: number): number {
  let depth = 1
  let values = 1
  for (const { tokenType } of tokens.slice(from)) {
    if (tokenType === token.LeftParenthesis) depth += 1
    if (tokenType === token.RightParenthesis) depth -= 1
    if (depth === 0) break
    if (tokenType === token.Comma && depth === 1) values += 1
  }
  return values
}

export function withoutInto(wrong: WrongStatement): Advice | undefined {
  if (wrong.tokens[0]?.tokenType !== keyword.Insert || wrong.at !== 1) return undefined
  return { advice: 'INSERT needs INTO', rewritten: `INSERT INTO ${piece(wrong, 1)}` }
}

function ofBegin(wrong: WrongStatement): Advice | undefined {
  const noise = /^(transaction|work|tran|deferred|immediate|exclusive)$/i
  if (!noise.test(wrong.tokens[1]?.image ?? '')) return undefined
  return { advice: 'BEGIN stands alone', rewritten: `BEGIN ${piece(wrong, 2)}`.trim() }
}

function ofForeignWord(wrong: WrongStatement): Advice | undefined {
  switch (wrong.tokens[0]?.image.toUpperCase()) {
    case 'START':
      return { advice: 'a transaction begins with', rewritten: 'BEGIN' }
    case 'END':
      return { advice: 'a transaction ends with', rewritten: 'COMMIT' }
    case 'ABORT':
      return { advice: 'a transaction is given up with', rewritten: 'ROLLBACK' }
    case 'DESC':
      return { advice: 'DESC is written out', rewritten: `DESCRIBE ${piece(wrong, 1)}` }
    case 'TRUNCATE': {
      const table = wrong.tokens[1]?.tokenType === keyword.Table ? 2 : 1
      const rewritten = `DELETE FROM ${piece(wrong, table)} USE PRIMARY KEY`
      return { advice: 'all rows are deleted with', rewritten }
    }
    case 'REPLACE':
    case 'UPSERT':
    case 'MERGE':
      return { advice: 'SET … ON table WHERE full primary key inserts or updates a row' }
    default:
      return undefined
  }
}
