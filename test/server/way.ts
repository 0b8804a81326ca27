// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import type { TestContext } from 'node:test'
import { SeededRandomness } from '../seeded-randomness.ts'
import { TokenServer } from './token-server.ts'

export const SEED = Number(process.env.WAYS_SEED ?? Math.floor(Math.random() * 2 ** 31))

export type Request = {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  readonly as?: string
  readonly history?: string
  /** Of the body; that of JSON where nothing is said. */
  readonly type?: string
  /** Whether its timestamps are answered as they are. */
  readonly isRaw?: boolean
}

type Answer = {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** A server, and one connection to it. */
export class Way {
  readonly #server: TokenServer
  readonly #url: string
  readonly #extra: Readonly<Record<string, string>>
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #tokens = new Map<string, string>()
  /** Timestamps as they came: what is handed on has taken one more. */
  readonly #timestamps = new Map<string, string>()

  private constructor(server: TokenServer, url: string, extra: Readonly<Record<string, string>>) {
    this.#server = server
    this.#url = url
    this.#extra = extra
  }

  static async open(t: TestContext, extra: Readonly<Record<string, string>>): Promise<Way> {
    const randomness = new SeededRandomness(SEED)
    const server = await TokenServer.start(t, { deps: { randomness } })
    const { url } = await server.server.listen()
    const way = new Way(server, url, extra)
    t.after(() => way.#agent.destroy())
    for (const sql of DEFINITIONS) assert.equal((await server.query(sql)).status, 200, sql)
    for (const role of ['plain', 'ruled', 'nobody']) {
      way.#tokens.set(
        role,
        await server.made(`CREATE TOKEN of_${role} ROLE ${role} EXPIRES IN 1 DAY`),
      )
    }
    return way
  }

  /** Lets clients send again that have been too fast. */
  async sleep(): Promise<void> {
    await this.#server.clock.advance(100)
  }

  async send({
    method = 'POST',
    path,
    body,
    as = 'admin',
    history,
    type = 'application/json',
    isRaw,
  }: Request): Promise<Answer> {
    const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const token = this.#tokens.get(as) ?? this.#server.token
    const headers = {
      authorization: `Bearer ${token}`,
      ...(payload !== undefined && {
        'content-type': type,
        'content-length': Buffer.byteLength(payload),
      }),
      ...(history !== undefined && { 'percolite-history': history }),
      ...this.#extra,
    }
    return await new Promise((resolve, reject) => {
      const sent = httpRequest(new URL(path, this.#url), { agent: this.#agent, method, headers })
      sent.on('error', reject).on('response', (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part) => {
          text += part
        })
        const { statusCode: status } = response
        response.on('end', () => {
          const answer = { status, headers: response.headers, text }
          resolve(isRaw === true ? answer : this.#told(answer))
        })
      })
      sent.end(payload)
    })
  }

  /** Sends all of them inside one transaction, which the last one ends. */
  async sendInside(asked: readonly Request[], end: string): Promise<readonly Answer[]> {
    const begun = await this.send({ path: '/v1/query', body: { sql: 'BEGIN' }, isRaw: true })
    const path = `/v1/transactions/${JSON.parse(begun.text).transaction}/query`
    const answers = []
    for (const request of [...asked, { path, body: { sql: end } }, { path, body: { sql: end } }]) {
      await this.sleep()
      const { text, ...rest } = await this.send({ ...request, path, as: 'admin' })
      answers.push({ ...rest, text: text.replaceAll(/t\d+\.[0-9a-f]{32}/g, 'transaction') })
    }
    return answers
  }

  /** Without what differs between any two answers. */
  #told({
    headers: { date, connection, 'keep-alive': kept, ...headers },
    ...rest
  }: Answer): Answer {
    const text = JSON.stringify({ ...rest, headers })
    return JSON.parse(
      text.replaceAll(/\b1767\d{12}\b/g, (timestamp) => {
        const name = this.#timestamps.get(timestamp) ?? `t${this.#timestamps.size}`
        this.#timestamps.set(timestamp, name)
        return name
      }),
    )
  }

  /** What the server has counted, without durations. */
  async counts(): Promise<unknown> {
    const shapes = await this.send({ method: 'GET', path: '/v1/statements' })
    const metrics = await this.send({ method: 'GET', path: '/metrics' })
    const counted = metrics.text
      .split('\n')
      .filter((line) => /^percolite_(http_requests_total|transactions)/.test(line))
    return { shapes: withoutTimes(JSON.parse(shapes.text)), counted }
  }
}

function withoutTimes(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, of) => (/Ms$|since|Micros$/.test(name) ? undefined : of)),
  )
}

const DEFINITIONS = [
  'CREATE TABLE word (id TEXT PRIMARY KEY, n INTEGER, r REAL, b BOOLEAN, at TIMESTAMP, raw BYTES, j JSON, owner TEXT)',
  'CREATE TABLE pair (a INTEGER, b TEXT, v TEXT, PRIMARY KEY (a DESC, b))',
  'CREATE TABLE split (id INTEGER PRIMARY KEY, v TEXT, remark TEXT, FAMILY remarks (remark))',
  'CREATE ROLE plain',
  'GRANT READ, WRITE ON word TO plain',
  'CREATE ROLE ruled',
  "GRANT READ ON word TO ruled WHERE owner = 'a'",
  'CREATE ROLE nobody',
]

/** Rows that there are from the beginning. */
export const ROWS = ['a', 'b', 'ä€😀', 'a,b', '~'].map(
  (text, n): Request => ({
    path: '/v1/query',
    body: {
      sql: "SET n = :n, r = 0.5, owner = :o, j = '[1, {}]', at = now() ON word WHERE id = :id; SET v = :id ON pair WHERE a = :n AND b = :id; SET v = :id, remark = 'r' ON split WHERE id = :n",
      params: { n, o: n % 2 === 0 ? 'a' : null, id: text },
    },
  }),
)
