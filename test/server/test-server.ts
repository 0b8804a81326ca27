// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import supertest, { type Response } from 'supertest'
import { readConfig } from '../../server/config.ts'
import { loadContract } from '../../server/doors/http/openapi/contract.ts'
import type { FlagName } from '../../server/flags.ts'
import { createServer, type Dependencies, type Server } from '../../server/server.ts'
import { declaredAnswers } from './declared-answers.ts'

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

/** A real server over a real store, asked over HTTP. Every answer is checked as declared. */
export class TestServer {
  readonly server: Server
  #listening: ReturnType<Server['listen']> | undefined

  constructor(server: Server) {
    this.server = server
  }

  /** Listens once, for the test and for `send`. */
  listen(): ReturnType<Server['listen']> {
    this.#listening ??= this.server.listen()
    return this.#listening
  }

  async send({ method = 'GET', path, json, text, headers = {} }: Sending): Promise<Answer> {
    const { url } = await this.listen()
    const payload = json === undefined ? text : JSON.stringify(json)
    const type = json === undefined ? {} : { 'content-type': 'application/json' }
    const verb = method.toLowerCase() as Lowercase<typeof method>
    const request = supertest(url)
      [verb](path)
      .set({ host: 'localhost:4270', 'accept-encoding': '', ...type, ...headers })
      .redirects(0)
      .buffer(true)
      .serialize((bytes) => bytes)
      .parse(readBytes)
    const sent = payload === undefined ? request : request.send(Buffer.from(payload))
    const answer = await sent.ok(() => true)
    const answered = Buffer.isBuffer(answer.body) ? answer.body.toString() : ''
    const isJson = /[/+]json\b/.test(String(answer.headers['content-type'])) && answered !== ''
    const body = isJson ? JSON.parse(answered) : undefined
    return { status: answer.status, headers: answer.headers, text: answered, body }
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

/** The bytes of an answer as they came. */
function readBytes(answer: Response, done: (error: Error | null, bytes: Buffer) => void): void {
  const chunks: Buffer[] = []
  answer.on('data', (chunk: Buffer) => chunks.push(chunk))
  answer.on('end', () => done(null, Buffer.concat(chunks)))
}

/** Starts a server that ends with the test; in memory unless the flags say otherwise. */
export async function startTestServer(
  t: Pick<TestContext, 'after'>,
  options: {
    readonly flags?: Partial<Readonly<Record<FlagName, string>>>
    readonly deps?: Dependencies
  } = {},
): Promise<TestServer> {
  const undeclared: string[] = []
  const config = readConfig({ engine: 'memory', port: '0', ...options.flags })
  const server = await createServer(config, {
    contract,
    ...options.deps,
    onAnswer: declaredAnswers(options.deps?.contract ?? contract, undeclared),
  })
  t.after(async () => {
    await server.close()
    assert.deepEqual(undeclared, [], 'openapi.yaml declares every answer')
  })
  return new TestServer(server)
}
