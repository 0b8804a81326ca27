// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { ManualClock } from '../manual-clock.ts'
import { type Answer, startTestServer, type TestServer } from './test-server.ts'

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
    const server = await startTestServer(t, { ...options, outside: { clock, ...options.outside } })
    const { body, text } = await server.query('CREATE TOKEN root ROLE admin EXPIRES IN 90 DAYS')
    assert.ok(body.results !== undefined, text)
    return new TokenServer(server, clock, body.results[0].rows[0].token)
  }

  /** With the administrator's token, or another one. */
  query(sql: string, token = this.token): Promise<Answer> {
    return this.server.send({
      method: 'POST',
      path: '/v1/query',
      json: { sql },
      headers: { authorization: `Bearer ${token}` },
    })
  }

  /** The text of the token that CREATE or ROTATE answers. */
  async made(sql: string): Promise<string> {
    const { status, body, text } = await this.query(sql)
    assert.equal(status, 200, text)
    return body.results[0].rows[0].token
  }
}
