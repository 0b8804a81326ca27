// SPDX-License-Identifier: Apache-2.0

import type { TokenType } from 'chevrotain'
import { isAggregate } from '../builders/aggregates.ts'
import * as keyword from '../grammar/keywords.ts'
import * as token from '../grammar/tokens.ts'
import { adviceOfCalls } from './sql-calls.ts'
import { foreignDefinition } from './sql-definitions.ts'
import { foreignFirstWord, NO_SAVEPOINT, NO_SESSION } from './sql-first-words.ts'
import { foreignInsert } from './sql-inserts.ts'
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
    return foreignFirstWord(wrong) ?? foreignObserver(wrong)
  }
  const session = ofSession(wrong)
  if (session !== undefined) return session
  if (type === keyword.Grant || type === keyword.Revoke) return ofRight(wrong)
  if (type === keyword.Begin && wrong.at > 0) return ofBegin(wrong)
  if ((type === keyword.Rollback || type === keyword.Commit) && wrong.at === 1) return ofEnd(wrong)
  if (type === keyword.Insert) return foreignInsert(wrong)
  if (isOrderOfWrite(wrong)) return { advice: ORDER_OF_WRITE }
  if (isOfTwoTables(wrong)) return { advice: NO_FROM_IN_WRITE }
  if (type === keyword.Delete && wrong.at === 1) return ofDelete(wrong)
  const isRead = type === keyword.Get || type === keyword.Scan
  if (isRead && indexOf(wrong, keyword.From) < 0) return withoutTable(wrong)
  if (type === keyword.SetWord || type === keyword.Check) return ofOneRow(wrong)
  return foreignObserver(wrong) ?? foreignDefinition(wrong)
}

/** GRANT SELECT ON t TO r -> GRANT READ ON t TO r */
function ofRight(wrong: WrongStatement): Advice | undefined {
  const token = wrong.tokens[wrong.at]
  if (/^(GRANT|REVOKE) \w+ (TO|FROM)\b/i.test(piece(wrong, 0, 3))) {
    return { advice: 'a role has rights, and no other roles: a token has one role' }
  }
  if (token?.image.toUpperCase() === 'PRIVILEGES') {
    const rewritten = `${piece(wrong, 0, wrong.at)} ${piece(wrong, wrong.at + 1)}`
    return { advice: 'ALL is all rights', rewritten }
  }
  const right = RIGHTS_OF_SQL.get(token?.image.toUpperCase() ?? '')
  if (token === undefined || right === undefined) return undefined
  const next = /^PRIVILEGES$/i.test(wrong.tokens[wrong.at + 1]?.image ?? '')
    ? wrong.at + 2
    : wrong.at + 1
  const separator = wrong.tokens[next]?.image === ',' ? '' : ' '
  const rewritten = `${piece(wrong, 0, wrong.at)} ${right}${separator}${piece(wrong, next)}`
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
  const special = withoutTable(wrong) ?? ofCatalog(wrong)
  if (special !== undefined) return special
  const advice = 'SELECT is written GET for rows by a full key, SCAN for a range of rows'
  const where = indexOf(wrong, keyword.Where)
  const isOfRows = !aggregates(wrong) && wrong.tokens[1]?.tokenType !== keyword.Distinct
  const joins = wrong.tokens.some(({ image }) => image.toUpperCase() === 'JOIN')
  const isByKey = where > 0 && isOfRows && !joins && onlyEquates(wrong, where + 1)
  const word = isByKey ? 'GET' : 'SCAN'
  return { advice, rewritten: `${word} ${piece(wrong, 1)}` }
}

/** SELECT now(), SELECT 1 FROM dual, and SCAN 1 */
function withoutTable(wrong: WrongStatement): Advice | undefined {
  const from = indexOf(wrong, keyword.From)
  const isDual = wrong.tokens[from + 1]?.image.toUpperCase() === 'DUAL'
  return (from < 0 && !wrong.tokens.some(({ tokenType }) => tokenType === token.Star)) || isDual
    ? { advice: adviceOfCalls(wrong) ?? (isTableAlone(wrong) ? NAMES_COLUMNS : NO_TABLE) }
    : undefined
}

/** GET customer, GET customer WHERE … */
function isTableAlone({ tokens }: WrongStatement): boolean {
  const [word, name, next] = tokens
  const isRead = word?.tokenType === keyword.Get || word?.tokenType === keyword.Scan
  return isRead && /^[A-Za-z_]\w*$/.test(name?.image ?? '') && next?.image !== '('
}

const NAMES_COLUMNS = 'the columns come first: SCAN * FROM table, GET * FROM table WHERE key = …'

const NO_TABLE =
  'a value alone is not read: a statement reads a table (SCAN now() FROM table LIMIT 1), the time is the readTimestamp of each answer, and GET /healthz says whether the server runs'

/** SELECT … FROM information_schema.tables, FROM sqlite_master */
function ofCatalog(wrong: WrongStatement): Advice | undefined {
  const from = indexOf(wrong, keyword.From)
  const source = piece(wrong, from + 1, from + 4).toLowerCase()
  if (from < 0 || !/^(information_schema|pg_\w+|sqlite_(master|schema)|sys)\b/.test(source)) {
    return undefined
  }
  const named = wrong.tokens.findIndex(({ image }) => image.toLowerCase() === 'table_name')
  const table = wrong.tokens[named + 2]?.image.slice(1, -1)
  const ofColumns = source.includes('columns') && named > from
  const rewritten = ofColumns ? `DESCRIBE ${table}` : 'SHOW TABLES'
  return { advice: 'what there is is shown by', rewritten }
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
  const table = /^(OR \w+|ONLY) /i.exec(piece(wrong, 1, set))?.[0] ?? ''
  const first = table.trim() === '' ? 1 : 1 + table.trim().split(' ').length
  const ends = UPDATE_ENDS.map((type) => indexOf(wrong, type)).filter((at) => at > set)
  const end = Math.min(...ends, wrong.tokens.length)
  const where = wrong.tokens[end]?.tokenType === keyword.Where ? '' : `${ALL_ROWS} `
  const rewritten = `SET ${piece(wrong, set + 1, end)} ON ${piece(wrong, first, set)} ${where}${piece(wrong, end)}`
  return { advice, rewritten: rewritten.trim() }
}

const UPDATE_ENDS = [keyword.Where, keyword.Limit, keyword.Returning]
const ALL_ROWS = 'USE PRIMARY KEY WHERE TRUE'

/** DELETE t …, DELETE * FROM t … */
function ofDelete(wrong: WrongStatement): Advice {
  const rest = wrong.tokens[1]?.tokenType === token.Star ? 3 : 1
  return { advice: 'DELETE needs FROM', rewritten: `DELETE FROM ${piece(wrong, rest)}`.trim() }
}

const NO_FROM_IN_WRITE =
  'what writes reads no other table: read the values before it, in the same request, by GET … INTO :name, or send them as parameters'

/** UPDATE a SET … FROM b, UPDATE a JOIN b …, DELETE FROM a USING b, DELETE a FROM a JOIN b; UPDATE is a SET by now */
function isOfTwoTables({ tokens, at }: WrongStatement): boolean {
  const word = tokens[at]?.image.toUpperCase() ?? ''
  const isSet = tokens[0]?.tokenType === keyword.SetWord
  const isDelete = tokens[0]?.tokenType === keyword.Delete
  if (!isSet && !isDelete) return false
  if (word === 'FROM') return isSet
  const joins = tokens.some(({ image }) => /^(JOIN|USING)$/i.test(image))
  const on = tokens.findIndex(({ tokenType }) => tokenType === keyword.On)
  return joins || (isSet && word === ',' && on >= 0 && at > on)
}

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
    const names = word === 'SET' ? 'SET … ON table WHERE …' : 'CHECK … ON table WHERE …'
    return { advice: `${word} names its table: ${names}` }
  }
  if (next !== undefined || on !== wrong.at - 2) return undefined
  if (word !== 'SET') return { advice: `${word} is of one row: WHERE names its full primary key` }
  const rewritten = `${piece(wrong, 0)} ${ALL_ROWS}`
  return { advice: 'WHERE says which rows are set; to set all of them', rewritten }
}

/** BEGIN ISOLATION LEVEL …, SET TRANSACTION …; SET name = value, which names neither a table nor rows */
function ofSession(wrong: WrongStatement): Advice | undefined {
  const words = piece(wrong, 0, 2).toUpperCase()
  if (words === 'BEGIN ISOLATION' || words === 'SET TRANSACTION' || words === 'SET SESSION') {
    return {
      advice: 'every transaction has a snapshot: there is no other isolation level',
      rewritten: 'BEGIN',
    }
  }
  const isSet = wrong.tokens[0]?.tokenType === keyword.SetWord
  const ofRows = [keyword.On, keyword.Where, keyword.From].some((type) => indexOf(wrong, type) > 0)
  return isSet && !ofRows ? { advice: SET_OF_SESSION } : undefined
}

const SET_OF_SESSION = `SET changes rows: SET column = value ON table WHERE …; ${NO_SESSION}`

/** EXPLAIN (ANALYZE, BUFFERS) …, EXPLAIN VERBOSE …, EXPLAIN QUERY PLAN … */
function ofExplain(wrong: WrongStatement): Advice | undefined {
  const { tokens, at } = wrong
  if (tokens[0]?.tokenType !== keyword.Explain) return undefined
  const start = tokens.findIndex(
    ({ tokenType }, index) =>
      index > 0 && (EXPLAINED.has(tokenType) || tokenType === keyword.Update),
  )
  if (start < 0 && at === 1) return notExplained(wrong)
  if (start < 0 || at >= start || at === 0) return undefined
  const analyzes = tokens.slice(1, start).some(({ tokenType }) => tokenType === keyword.Analyze)
  const rewritten = `EXPLAIN ${analyzes ? 'ANALYZE ' : ''}${piece(wrong, start)}`
  return { advice: 'the only option of EXPLAIN is ANALYZE', rewritten }
}

/** EXPLAIN t of MySQL, EXPLAIN CREATE TABLE … */
function notExplained(wrong: WrongStatement): Advice {
  return wrong.tokens.length === 2
    ? { advice: 'a table is shown by', rewritten: `DESCRIBE ${piece(wrong, 1)}` }
    : { advice: 'a GET, SCAN, SET, INSERT or DELETE has a plan to explain, and no other statement' }
}

const EXPLAINED: ReadonlySet<TokenType> = new Set([
  ...[keyword.Get, keyword.Scan, keyword.SetWord, keyword.Insert, keyword.Delete, keyword.Select],
  ...[keyword.Check, keyword.Notify],
])

/** COMMIT WORK, ROLLBACK TRANSACTION, ROLLBACK TO a */
function ofEnd(wrong: WrongStatement): Advice {
  const word = piece(wrong, 0, 1).toUpperCase()
  const next = piece(wrong, 1, 2).toUpperCase()
  if (/^(WORK|TRANSACTION|TRAN|AND)$/.test(next)) {
    return { advice: `${word} stands alone`, rewritten: word }
  }
  return {
    advice: next === 'PREPARED' ? 'a transaction commits in one step: COMMIT' : NO_SAVEPOINT,
  }
}

/** BEGIN TRANSACTION, BEGIN READ WRITE */
function ofBegin(wrong: WrongStatement): Advice | undefined {
  if (/^BEGIN READ WRITE$/i.test(piece(wrong, 0))) {
    return { advice: 'a transaction may write', rewritten: 'BEGIN' }
  }
  const noise = /^(transaction|work|tran|deferred|immediate|exclusive)$/i
  if (!noise.test(wrong.tokens[1]?.image ?? '')) return undefined
  return { advice: 'BEGIN stands alone', rewritten: `BEGIN ${piece(wrong, 2)}`.trim() }
}
