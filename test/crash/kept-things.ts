// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { ServerProcess } from '../server/server-process.ts'

// What a client may keep of a database, and every door at which it comes back.

export const TABLE = 'CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL)'
export const ALL = 'SCAN * FROM account USE PRIMARY KEY'

type Request = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
}

/** A server in a process of its own, asked as any client asks it. */
export class Asker {
  readonly server: ServerProcess

  constructor(server: ServerProcess) {
    this.server = server
  }

  static async start(t: TestContext, data: string, flags: string[] = []): Promise<Asker> {
    const server = await ServerProcess.start(data, flags)
    t.after(() => server.killNine())
    return new Asker(server)
  }

  async ask(path: string, { method, headers, json }: Request = {}) {
    const answer = await fetch(`${this.server.url}${path}`, {
      method: method ?? (json === undefined ? 'GET' : 'POST'),
      headers: {
        ...headers,
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    })
    const text = await answer.text()
    const isJson = /json/.test(answer.headers.get('content-type') ?? '') && !text.includes('\n{')
    return {
      status: answer.status,
      headers: answer.headers,
      body: isJson ? JSON.parse(text) : text,
    }
  }

  async sql(sql: string, more: object = {}, headers: Request['headers'] = {}) {
    return this.ask('/v1/query', { json: { sql, ...more }, headers })
  }

  /** The commit timestamp of a write that has to succeed. */
  async write(sql: string): Promise<number> {
    const { status, body } = await this.sql(sql)
    assert.equal(status, 200, JSON.stringify(body))
    return body.commitTimestamp
  }
}

/** What a client may keep of a store. */
export type Kept = {
  readonly timestamp: number
  readonly history: string
  readonly cursor: string
  readonly transaction: string
  readonly etag: string
}

export async function keep(asker: Asker): Promise<Kept> {
  const opened = await asker.sql('BEGIN')
  const { transaction } = opened.body
  await asker.sql("INSERT INTO account (id, balance) VALUES ('eve', 1)", { transaction })
  const commit = await asker.ask(`/v1/transactions/${transaction}/commit`, { method: 'POST' })
  const timestamp = commit.body.commitTimestamp
  const { etag } = Object.fromEntries((await asker.ask('/v1/tables/account/rows/eve')).headers)
  const { cursor } = (await asker.sql(ALL, { pageSize: 1 })).body
  const status = (await asker.ask('/v1/status')).body
  assert.equal(status.history, opened.headers.get('percolite-history'))
  assert.ok(typeof etag === 'string' && typeof cursor === 'string')
  return { timestamp, history: status.history, cursor, transaction, etag }
}

/** Every door through which a timestamp, or what holds one, comes in; with what the client says of it. */
export function doorsOf(kept: Kept, headers: Readonly<Record<string, string>>) {
  const { timestamp, cursor, transaction } = kept
  const rows = '/v1/tables/account/rows'
  const min = { 'percolite-min-timestamp': String(timestamp), ...headers }
  const get = "GET * FROM account WHERE id = 'bob'"
  const doors: Record<string, readonly [string, Request]> = {
    changes: [`/v1/changes?since=${timestamp}&sql=${encodeURIComponent(ALL)}`, { headers }],
    'asOf of rows': [`${rows}?order=id&asOf=${timestamp}`, { headers }],
    'asOf of a row': [`${rows}/bob?asOf=${timestamp}`, { headers }],
    'asOf of a stream': [`${rows}?order=id&asOf=${timestamp}&format=ndjson`, { headers }],
    'asOf of tables': [`/v1/tables?asOf=${timestamp}`, { headers }],
    'asOf of a table': [`/v1/tables/account?asOf=${timestamp}`, { headers }],
    'asOf of a request': ['/v1/query', { headers, json: { sql: get, asOf: timestamp } }],
    'asOf of BEGIN': ['/v1/transactions', { headers, json: { asOf: timestamp } }],
    'AS OF': [
      '/v1/query',
      { headers, json: { sql: `GET * FROM account AS OF ${timestamp} WHERE id = 'bob'` } },
    ],
    'AS OF an expression': [
      '/v1/query',
      {
        headers,
        json: {
          sql: "GET * FROM account AS OF :t WHERE id = 'bob'",
          params: { t: timestamp },
        },
      },
    ],
    'AS OF of a stream': [
      '/v1/query?format=csv',
      { headers, json: { sql: `SCAN * FROM account AS OF ${timestamp} USE PRIMARY KEY` } },
    ],
    'AS OF among others': [
      '/v1/query',
      {
        headers,
        json: {
          statements: [
            { sql: 'SHOW TABLES' },
            { sql: `GET * FROM account AS OF ${timestamp} WHERE id = 'bob'` },
          ],
        },
      },
    ],
    'BEGIN AS OF': ['/v1/query', { headers, json: { sql: `BEGIN READ ONLY AS OF ${timestamp}` } }],
    cursor: ['/v1/query', { headers, json: { sql: ALL, pageSize: 1, cursor } }],
    'minimum of a query': ['/v1/query', { headers: min, json: { sql: 'SHOW TABLES' } }],
    'minimum of a row': [`${rows}/bob`, { headers: min }],
    'minimum of BEGIN': ['/v1/transactions', { headers: min, json: {} }],
    'minimum of a stream': ['/v1/query?format=ndjson', { headers: min, json: { sql: ALL } }],
    outcome: [`/v1/transactions/${transaction}`, { headers }],
    COMMIT: [`/v1/transactions/${transaction}/commit`, { headers, method: 'POST' }],
    ROLLBACK: [`/v1/transactions/${transaction}`, { headers, method: 'DELETE' }],
    'query inside': [`/v1/transactions/${transaction}/query`, { headers, json: { sql: get } }],
    'query in an open one': ['/v1/query', { headers, json: { sql: get, transaction } }],
  }
  return Object.entries(doors)
}

export function portOf({ server }: Asker): number {
  return Number(new URL(server.url).port)
}
