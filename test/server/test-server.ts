// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { readConfig } from '../../server/config.ts'
import type { FlagName } from '../../server/flags.ts'
import { loadContract } from '../../server/http/openapi/contract.ts'
import { createServer, type Outside, type Server } from '../../server/server.ts'

const contract = loadContract()

/** The body as tests look into it; what is not there is undefined. */
// biome-ignore lint/suspicious/noExplicitAny: a test asserts on the shape that it expects.
export type AnswerBody = any

export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
  readonly body: AnswerBody
}

export type Sending = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS'
  readonly path: string
  readonly json?: unknown
  readonly text?: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
}

/** A real server over a real store, asked without a socket. Every answer is checked as declared. */
export class TestServer {
  readonly server: Server

  constructor(server: Server) {
    this.server = server
  }

  async send({ method = 'GET', path, json, text, headers = {} }: Sending): Promise<Answer> {
    const payload = json === undefined ? text : JSON.stringify(json)
    const type = json === undefined ? {} : { 'content-type': 'application/json' }
    const answer = await this.server.http.inject({
      method,
      url: path,
      headers: { host: 'localhost:4270', ...type, ...headers },
      ...(payload === undefined ? {} : { payload }),
    })
    const isJson = /[/+]json\b/.test(String(answer.headers['content-type'])) && answer.body !== ''
    const body = isJson ? JSON.parse(answer.body) : undefined
    return { status: answer.statusCode, headers: answer.headers, text: answer.body, body }
  }

  get(path: string): Promise<Answer> {
    return this.send({ path })
  }

  post(path: string, json?: unknown): Promise<Answer> {
    return this.send({ method: 'POST', path, json })
  }

  /** A request with statements; with more than `sql`, as in `QueryRequest`. */
  query(sql: string, more: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    return this.post('/v1/query', { sql, ...more })
  }

  /** The rows of the last statement; the request has to succeed. */
  async rows(sql: string, more: Readonly<Record<string, unknown>> = {}): Promise<AnswerBody[]> {
    const { status, body, text } = await this.query(sql, more)
    assert.equal(status, 200, text)
    return body.results.at(-1).rows
  }

  /** Waits until no index of the table is being built. */
  async indexesBuilt(table: string): Promise<void> {
    for (let building = true; building; await setImmediate()) {
      const { body } = await this.get(`/v1/tables/${table}`)
      building = body.indexes.some(({ state }: { state: string }) => state === 'building')
    }
  }

  /** The id of a new transaction over several requests. */
  async begin(options: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const { status, body, text } = await this.post('/v1/transactions', options)
    assert.equal(status, 201, text)
    return body.transaction
  }
}

/** Starts a server that ends with the test; in memory unless the flags say otherwise. */
export async function startTestServer(
  t: Pick<TestContext, 'after'>,
  options: {
    readonly flags?: Partial<Readonly<Record<FlagName, string>>>
    readonly outside?: Outside
  } = {},
): Promise<TestServer> {
  const undeclared: string[] = []
  const config = readConfig({ engine: 'memory', port: '0', ...options.flags })
  const server = await createServer(config, {
    contract,
    ...options.outside,
    onUndeclaredAnswer: (description) => undeclared.push(description),
  })
  t.after(async () => {
    await server.close()
    assert.deepEqual(undeclared, [], 'openapi.yaml declares every answer')
  })
  return new TestServer(server)
}
