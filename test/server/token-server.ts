// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { ManualClock } from '../manual-clock.ts'
import { testFolder } from '../test-folder.ts'
import {
  type Answer,
  type AnswerBody,
  type Sending,
  startTestServer,
  type TestServer,
} from './test-server.ts'

/** A server whose clock stands still, and the token of its administrator. */
export class TokenServer {
  readonly server: TestServer
  readonly clock: ManualClock
  readonly token: string

  private constructor(server: TestServer, clock: ManualClock, token: string) {
    this.server = server
    this.clock = clock
    this.token = token
  }

  static async start(
    t: Pick<TestContext, 'after'>,
    options: Parameters<typeof startTestServer>[1] & { readonly clock?: ManualClock } = {},
  ): Promise<TokenServer> {
    const clock = options.clock ?? new ManualClock()
    const server = await startTestServer(t, { ...options, deps: { clock, ...options.deps } })
    return new TokenServer(server, clock, await firstToken(server))
  }

  /** One that never was open without tokens: its first one was made before, in the folder. */
  static async startGuarded(
    t: TestContext,
    flags: NonNullable<Parameters<typeof startTestServer>[1]>['flags'],
    deps: NonNullable<Parameters<typeof startTestServer>[1]>['deps'] = {},
  ): Promise<TokenServer> {
    const clock = new ManualClock()
    const data = { engine: 'sqlite', data: await testFolder(t, 'guarded') }
    const before = await startTestServer(t, { flags: data, deps: { clock } })
    const token = await firstToken(before)
    await before.server.close()
    const server = await startTestServer(t, {
      flags: { ...data, ...flags },
      deps: { clock, ...deps },
    })
    return new TokenServer(server, clock, token)
  }

  /** With the administrator's token, or another one. */
  query(sql: string, token = this.token): Promise<Answer> {
    return this.as(token).query(sql)
  }

  /** What the holder of a token sends. */
  as(token: string): TokenClient {
    return new TokenClient(this.server, token)
  }

  /** The text of the token that CREATE or ROTATE answers. */
  async made(sql: string): Promise<string> {
    const { status, body, text } = await this.query(sql)
    assert.equal(status, 200, text)
    return body.results[0].rows[0].token
  }
}

async function firstToken(server: TestServer): Promise<string> {
  const { body, text } = await server.query('CREATE TOKEN root ROLE admin EXPIRES IN 90 DAYS')
  assert.ok(body.results !== undefined, text)
  return body.results[0].rows[0].token
}

/** Sends everything with one token. */
export class TokenClient {
  readonly #server: TestServer
  readonly token: string

  constructor(server: TestServer, token: string) {
    this.#server = server
    this.token = token
  }

  get headers(): Readonly<Record<string, string>> {
    return { authorization: `Bearer ${this.token}` }
  }

  send(sending: Sending): Promise<Answer> {
    return this.#server.send({ ...sending, headers: { ...sending.headers, ...this.headers } })
  }

  query(sql: string, more: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    return this.send({ method: 'POST', path: '/v1/query', json: { sql, ...more } })
  }

  /** Runs statements that have to succeed. */
  async run(sql: string): Promise<void> {
    const { status, text } = await this.query(sql)
    assert.equal(status, 200, `${sql}: ${text}`)
  }

  /** The rows of the last statement; the request has to succeed. */
  async rows(sql: string, more: Readonly<Record<string, unknown>> = {}): Promise<AnswerBody[]> {
    const { status, body, text } = await this.query(sql, more)
    assert.equal(status, 200, text)
    return body.results.at(-1).rows
  }

  /** The code of the error that a statement meets. */
  async refusal(sql: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const { body, text } = await this.query(sql, more)
    assert.equal(typeof body?.code, 'string', text)
    return body.code
  }
}
