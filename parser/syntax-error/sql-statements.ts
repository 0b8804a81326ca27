// SPDX-License-Identifier: Apache-2.0

import type { TokenType } from 'chevrotain'
import { isAggregate } from '../builders/aggregates.ts'
import * as keyword from '../grammar/keywords.ts'
import * as token from '../grammar/tokens.ts'
import { foreignDefinition } from './sql-definitions.ts'
import { foreignInsert, UPSERT } from './sql-inserts.ts'
import { foreignObserver } from './sql-observers.ts'
import { type Advice, indexOf, piece, type WrongStatement } from './wrong-statement.ts'

/** A statement that begins as one of SQL, perhaps after EXPLAIN, in the dialect's words. */
export function foreignStatement(wrong: WrongStatement): Advice | undefined {
  const explained = ofExplain(wrong)
  if (explained !== undefined) return explained
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
  const first = tokens[1]?.tokenType === keyword.Analyze ? 2 : 1
  return tokens[first]?.tokenType === keyword.Script ? first + 1 : first
}

function recognise(wrong: WrongStatement): Advice | undefined {
  const type = wrong.tokens[0]?.tokenType
  if (wrong.at === 0) {
    if (type === keyword.Select) return ofSelect(wrong)
    if (type === keyword.Update) return ofUpdate(wrong)
    return ofForeignWord(wrong) ?? foreignObserver(wrong)
  }
  const session = ofSession(wrong)
  if (session !== undefined) return session
  if (type === keyword.Grant || type === keyword.Revoke) return ofRight(wrong)
  if (type === keyword.Begin && wrong.at === 1) return ofBegin(wrong)
  if (type === keyword.Rollback && wrong.at === 1) return { advice: NO_SAVEPOINT }
  if (type === keyword.Insert) return foreignInsert(wrong)
  if (type === keyword.Delete && wrong.at === 1) return ofDelete(wrong)
  if (isOrderOfWrite(wrong)) return { advice: ORDER_OF_WRITE }
  if (type === keyword.SetWord && wrong.tokens[wrong.at]?.tokenType === keyword.From) {
    return { advice: NO_FROM_IN_SET }
  }
  if (type === keyword.SetWord || type === keyword.Check) return ofOneRow(wrong)
  return foreignObserver(wrong) ?? foreignDefinition(wrong)
}

/** GRANT SELECT ON t TO r -> GRANT READ ON t TO r */
function ofRight(wrong: WrongStatement): Advice | undefined {
  const token = wrong.tokens[wrong.at]
  const right = RIGHTS_OF_SQL.get(token?.image.toUpperCase() ?? '')
  if (token === undefined || right === undefined) return undefined
  const separator = wrong.tokens[wrong.at + 1]?.image === ',' ? '' : ' '
  const rewritten = `${piece(wrong, 0, wrong.at)} ${right}${separator}${piece(wrong, wrong.at + 1)}`
  return { advice: 'rights on rows are READ and WRITE', rewritten }
}

const RIGHTS_OF_SQL: ReadonlyMap<string, string> = new Map([
  ['SELECT', 'READ'],
  ['INSERT', 'WRITE'],
  ['UPDATE', 'WRITE'],
  ['DELETE', 'WRITE'],
  ['ALL', 'READ, WRITE'],
])

/** GET where the condition only equates columns, since it may then name a full key. */
function ofSelect(wrong: WrongStatement): Advice {
  const advice = 'SELECT is written GET for rows by a full key, SCAN for a range of rows'
  const where = indexOf(wrong, keyword.Where)
  const isOfRows = !aggregates(wrong) && wrong.tokens[1]?.tokenType !== keyword.Distinct
  const joins = wrong.tokens.some(({ image }) => image.toUpperCase() === 'JOIN')
  const isByKey = where > 0 && isOfRows && !joins && onlyEquates(wrong, where + 1)
  const word = isByKey ? 'GET' : 'SCAN'
  return { advice, rewritten: `${word} ${piece(wrong, 1)}` }
}

function aggregates({ tokens }: WrongStatement): boolean {
  return tokens.some(
    ({ image }, index) =>
      isAggregate(image.toLowerCase()) && tokens[index + 1]?.tokenType === token.LeftParenthesis,
  )
}

/** column = value AND column = value … to the end of the statement, or to its FOR UPDATE; perhaps with t.column. */
function onlyEquates({ tokens }: WrongStatement, from: number): boolean {
  for (let index = from; ; index += 4) {
    if (tokens[index + 1]?.image === '.') index += 2
    const [column, operator, , and] = tokens.slice(index, index + 4)
    if (column === undefined || !token.isOf(column.tokenType, keyword.Name)) return false
    if (operator?.tokenType !== token.Equal && operator?.tokenType !== token.DoubleEqual) {
      return false
    }
    if (and === undefined || and.tokenType === keyword.For) return true
    if (and.tokenType !== keyword.And) return false
  }
}

/** UPDATE t SET a = 1 WHERE … -> SET a = 1 ON t WHERE …; without a WHERE it is of all rows. */
function ofUpdate(wrong: WrongStatement): Advice {
  const set = indexOf(wrong, keyword.SetWord)
  const advice = 'UPDATE is written SET … ON table WHERE …'
  if (set < 0) return { advice }
  const ends = UPDATE_ENDS.map((type) => indexOf(wrong, type)).filter((at) => at > set)
  const end = Math.min(...ends, wrong.tokens.length)
  const where = wrong.tokens[end]?.tokenType === keyword.Where ? '' : `${ALL_ROWS} `
  const rewritten = `SET ${piece(wrong, set + 1, end)} ON ${piece(wrong, 1, set)} ${where}${piece(wrong, end)}`
  return { advice, rewritten: rewritten.trim() }
}

const UPDATE_ENDS = [keyword.Where, keyword.Limit, keyword.Returning]
const ALL_ROWS = 'USE PRIMARY KEY WHERE TRUE'

/** DELETE t …, DELETE * FROM t … */
function ofDelete(wrong: WrongStatement): Advice {
  const rest = wrong.tokens[1]?.tokenType === token.Star ? 3 : 1
  return { advice: 'DELETE needs FROM', rewritten: `DELETE FROM ${piece(wrong, rest)}`.trim() }
}

const NO_FROM_IN_SET =
  'SET reads no other table: read the values before it, in the same request, by GET … INTO :name'

const ORDER_OF_WRITE =
  'SET and DELETE take their rows in the order of the key that finds them: for another order, read the keys by SCAN … ORDER BY … LIMIT and write WHERE key IN :keys'

/** DELETE … ORDER BY …, SET … ORDER BY … */
function isOrderOfWrite({ tokens, at }: WrongStatement): boolean {
  const first = tokens[0]?.tokenType
  const writes = first === keyword.Delete || first === keyword.SetWord
  return writes && tokens[at]?.tokenType === keyword.Order
}

/** SET or CHECK without its table, or without its rows. */
function ofOneRow(wrong: WrongStatement): Advice | undefined {
  const word = wrong.tokens[0]?.tokenType.name
  const next = wrong.tokens[wrong.at]?.tokenType
  const on = indexOf(wrong, keyword.On)
  if (on < 0 && next === keyword.Where) {
    const rewritten = `${piece(wrong, 0, wrong.at)} ON table ${piece(wrong, wrong.at)}`
    return { advice: `${word} names its table`, rewritten }
  }
  if (next !== undefined || on !== wrong.at - 2) return undefined
  if (word !== 'SET') return { advice: `${word} is of one row: WHERE names its full primary key` }
  const rewritten = `${piece(wrong, 0)} ${ALL_ROWS}`
  return { advice: 'WHERE says which rows are set; to set all of them', rewritten }
}

/** COUNT(*) FROM t, COUNT t */
function ofAggregate(wrong: WrongStatement): Advice {
  const advice = 'groups of rows are read by SCAN'
  if (wrong.tokens[1]?.tokenType === token.LeftParenthesis) {
    return { advice, rewritten: `SCAN ${piece(wrong, 0)}` }
  }
  const table = wrong.tokens[1]?.tokenType === keyword.From ? 2 : 1
  const name = wrong.tokens[0]?.image.toUpperCase()
  if (name !== 'COUNT') return { advice }
  return { advice, rewritten: `SCAN COUNT(*) FROM ${piece(wrong, table)}` }
}

const NO_SAVEPOINT =
  'there are no savepoints: a statement that fails leaves the transaction as it was before it'

/** TABLE t */
function ofWholeTable(wrong: WrongStatement): Advice | undefined {
  if (wrong.tokens[0]?.tokenType !== keyword.Table) return undefined
  return { advice: 'rows are read by SCAN', rewritten: `SCAN * FROM ${piece(wrong, 1)}` }
}

/** \\d, \\dt and \\d t of psql */
function ofBackslash(wrong: WrongStatement): Advice {
  const named = wrong.tokens.length > 2
  const rewritten = named ? `DESCRIBE ${piece(wrong, 2)}` : 'SHOW TABLES'
  return { advice: 'what begins with \\ is for psql itself', rewritten }
}

/** BEGIN ISOLATION LEVEL …, SET TRANSACTION …, SET name = value */
function ofSession(wrong: WrongStatement): Advice | undefined {
  const words = piece(wrong, 0, 2).toUpperCase()
  if (words === 'BEGIN ISOLATION' || words === 'SET TRANSACTION' || words === 'SET SESSION') {
    return {
      advice: 'every transaction has a snapshot: there is no other isolation level',
      rewritten: 'BEGIN',
    }
  }
  return undefined
}

/** EXPLAIN (ANALYZE, BUFFERS) …, EXPLAIN VERBOSE …, EXPLAIN QUERY PLAN … */
function ofExplain(wrong: WrongStatement): Advice | undefined {
  const { tokens, at } = wrong
  if (tokens[0]?.tokenType !== keyword.Explain) return undefined
  const start = tokens.findIndex(
    ({ tokenType }, index) =>
      index > 0 && (EXPLAINED.has(tokenType) || tokenType === keyword.Update),
  )
  if (start < 0 || at >= start || at === 0) return undefined
  const analyzes = tokens.slice(1, start).some(({ tokenType }) => tokenType === keyword.Analyze)
  const rewritten = `EXPLAIN ${analyzes ? 'ANALYZE ' : ''}${piece(wrong, start)}`
  return { advice: 'the only option of EXPLAIN is ANALYZE', rewritten }
}

const EXPLAINED: ReadonlySet<TokenType> = new Set([
  ...[keyword.Get, keyword.Scan, keyword.SetWord, keyword.Insert, keyword.Delete, keyword.Select],
  ...[keyword.Check, keyword.Notify],
])

function ofBegin(wrong: WrongStatement): Advice | undefined {
  const noise = /^(transaction|work|tran|deferred|immediate|exclusive)$/i
  if (!noise.test(wrong.tokens[1]?.image ?? '')) return undefined
  return { advice: 'BEGIN stands alone', rewritten: `BEGIN ${piece(wrong, 2)}`.trim() }
}

type AdviceMaker = (wrong: WrongStatement) => Advice | undefined

const NOTHING_TO_TIDY: Advice = {
  advice: 'there is nothing to tidy up: old versions are collected by the server',
}
const PREPARED_BY_ITSELF: Advice = {
  advice: 'a text with parameters is prepared by itself: send it again with others',
}
const SET_DOES_IT: Advice = {
  advice: UPSERT,
}

/** First words that no statement of this dialect has, and what is written instead. */
const FOREIGN_WORDS: ReadonlyMap<string, Advice | AdviceMaker> = new Map<
  string,
  Advice | AdviceMaker
>([
  ['START', { advice: 'a transaction begins with', rewritten: 'BEGIN' }],
  ['END', { advice: 'a transaction ends with', rewritten: 'COMMIT' }],
  ['ABORT', { advice: 'a transaction is given up with', rewritten: 'ROLLBACK' }],
  ['DESC', ofDesc],
  ['TRUNCATE', ofTruncate],
  ['COUNT', ofAggregate],
  ['SUM', ofAggregate],
  ['MIN', ofAggregate],
  ['MAX', ofAggregate],
  ['AVG', ofAggregate],
  ['WITH', { advice: 'a statement stands alone: there is no WITH' }],
  ['SAVEPOINT', { advice: NO_SAVEPOINT }],
  ['RELEASE', { advice: NO_SAVEPOINT }],
  ['VALUES', ofWholeTable],
  ['TABLE', ofWholeTable],
  ['USE', { advice: 'there is one database: its tables are shown by', rewritten: 'SHOW TABLES' }],
  ['PRAGMA', { advice: 'what there is is shown by', rewritten: 'SHOW TABLES' }],
  ['\\', ofBackslash],
  [
    'LOCK',
    {
      advice: 'nothing is locked ahead: GET … FOR UPDATE guards the rows that a decision rests on',
    },
  ],
  ['VACUUM', NOTHING_TO_TIDY],
  ['ANALYZE', NOTHING_TO_TIDY],
  ['REINDEX', NOTHING_TO_TIDY],
  ['COPY', { advice: 'rows are sent as JSON: POST /v1/tables/{table}/rows' }],
  ['PREPARE', PREPARED_BY_ITSELF],
  ['EXECUTE', PREPARED_BY_ITSELF],
  ['DECLARE', { advice: 'a SCAN is answered by the page: follow its cursor' }],
  ['REPLACE', SET_DOES_IT],
  ['UPSERT', SET_DOES_IT],
  ['MERGE', SET_DOES_IT],
])

function ofForeignWord(wrong: WrongStatement): Advice | undefined {
  const found = FOREIGN_WORDS.get(wrong.tokens[0]?.image.toUpperCase() ?? '')
  return typeof found === 'function' ? found(wrong) : found
}

function ofDesc(wrong: WrongStatement): Advice {
  return { advice: 'DESC is written out', rewritten: `DESCRIBE ${piece(wrong, 1)}` }
}

function ofTruncate(wrong: WrongStatement): Advice {
  const table = wrong.tokens[1]?.tokenType === keyword.Table ? 2 : 1
  const rewritten = `DELETE FROM ${piece(wrong, table)} USE PRIMARY KEY`
  return { advice: 'all rows are deleted with', rewritten }
}
