// SPDX-License-Identifier: Apache-2.0
import { ALL_LIMITS } from '../../server/limits.ts'
import type { Request } from './ask.ts'

export const BIG_ROWS = 20_000
const BIG_ROW_BYTES = 1_000
/** A row that is filled at a time, so that loading is quick. */
const ROWS_POSTED = 1_000

/** What a client does again and again, as heavy as the limits allow. */
export type HeavyKind = {
  readonly name: string
  next(count: number): Request
  /** Whether its answers are read. */
  readonly isRead: boolean
}

function query(body: object): Request {
  return { method: 'POST', path: '/v1/query', body: Buffer.from(JSON.stringify(body)) }
}

function rows(table: string, all: readonly object[]): Request {
  const body = Buffer.from(JSON.stringify(all))
  return { method: 'POST', path: `/v1/tables/${table}/rows`, body }
}

/** The tables, and the rows of the first two. */
export function preparation(): Request[] {
  const text = 'ab'.repeat(BIG_ROW_BYTES / 2)
  const filled = Array.from({ length: BIG_ROWS / ROWS_POSTED }, (_, page) =>
    rows(
      'big',
      Array.from({ length: ROWS_POSTED }, (_, at) => ({ id: page * ROWS_POSTED + at, t: text })),
    ),
  )
  const columns = Array.from({ length: 40 }, (_, at) => `c${at} INTEGER`).join(', ')
  return [
    query({ sql: 'CREATE TABLE big (id INTEGER PRIMARY KEY, t TEXT)' }),
    query({ sql: 'CREATE TABLE small (id INTEGER PRIMARY KEY, n INTEGER)' }),
    query({ sql: 'CREATE TABLE crowd (id INTEGER PRIMARY KEY, n INTEGER)' }),
    query({ sql: `CREATE TABLE wide (id TEXT PRIMARY KEY, ${columns})` }),
    query({ sql: 'CREATE TABLE written (id TEXT PRIMARY KEY, t TEXT)' }),
    ...filled,
  ]
}

/** The five heaviest clients. */
export function heavyKinds(): HeavyKind[] {
  return [scans(), filters(), unreadAnswers(), bodies(), writes()]
}

/** As many SCANs of a whole table as a request may hold: it runs until its time is over. */
function scans(): HeavyKind {
  const sql = "SCAN count(*) AS n FROM big USE PRIMARY KEY WHERE t LIKE '%b%c%'"
  const asked = query({
    statements: Array.from({ length: ALL_LIMITS.statementsMax }, () => ({ sql })),
  })
  return { name: 'big scans', next: () => asked, isRead: true }
}

/** A condition that costs nearly `rowWorkMax` for every row: each is the longest that runs without a pause. */
function filters(): HeavyKind {
  const sql = 'SCAN id FROM big USE PRIMARY KEY WHERE (t || :long) LIKE :pattern'
  const long = 'a'.repeat(2_000_000)
  const asked = query({ sql, params: { long, pattern: '%a_b%' } })
  return { name: 'expensive filters', next: () => asked, isRead: true }
}

/** Alternately pages of 16 MB and streams of the whole table, neither of which is read. */
function unreadAnswers(): HeavyKind {
  const page = query({ sql: 'SCAN * FROM big', pageSize: ALL_LIMITS.pageRowsMax })
  const stream: Request = { method: 'GET', path: '/v1/tables/big/rows?format=ndjson' }
  return {
    name: 'unread answers',
    next: (count) => (count % 2 === 0 ? page : stream),
    isRead: false,
  }
}

/** Of almost 16 MB with almost as many values as may be: rows, and parameters that nobody uses. */
function bodies(): HeavyKind {
  const values = Math.floor(ALL_LIMITS.bodyValuesMax / ALL_LIMITS.postedRowsMax) - 10
  const row = Object.fromEntries(
    Array.from({ length: values }, (_, at) => [`c${at}`, 1_000_000_000_000_000 + at]),
  )
  const all = Array.from({ length: ALL_LIMITS.postedRowsMax }, (_, at) => ({
    id: `row ${at}`,
    ...row,
  }))
  const posted = rows('wide', all)
  const padding = 'x'.repeat(ALL_LIMITS.bodyBytesMax - 1_000)
  const unused = query({ sql: 'SHOW TABLES', params: { padding } })
  return { name: 'big bodies', next: (count) => (count % 2 === 0 ? posted : unused), isRead: true }
}

/** Rows by the thousand, each time the same ones, so that they also conflict with each other. */
function writes(): HeavyKind {
  const all = Array.from({ length: 100 }, (_, page) => {
    const values = Array.from({ length: 500 }, (_, at) => `('${page % 10} ${at}', :text)`)
    const sql = `SET t = :text ON written WHERE id = '${page % 10}'`
    const insert = `INSERT INTO written (id, t) VALUES ${values.join(', ')} ON CONFLICT DO NOTHING`
    const params = { text: 'y'.repeat(1_000) }
    return query({
      statements: [
        { sql: insert, params },
        { sql, params },
      ],
    })
  })
  return { name: 'many writes', next: (count) => all[count % all.length] as Request, isRead: true }
}
