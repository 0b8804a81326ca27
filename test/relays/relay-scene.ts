// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { FlagName } from '../../server/flags.ts'
import type { Dependencies } from '../../server/server.ts'
import { type AnswerBody, startTestServer, type TestServer } from '../server/test-server.ts'
import { Receiving } from './receiving.ts'

type Options = {
  readonly flags?: Partial<Readonly<Record<FlagName, string>>>
  readonly deps?: Dependencies
}

/** A server with two tables, and a receiver that its operator allows. */
export class RelayScene {
  readonly server: TestServer
  readonly receiving: Receiving

  private constructor(server: TestServer, receiving: Receiving) {
    this.server = server
    this.receiving = receiving
  }

  static async start(
    t: Pick<TestContext, 'after'>,
    { flags, deps }: Options = {},
  ): Promise<RelayScene> {
    const receiving = await Receiving.start(t)
    const server = await startTestServer(t, {
      flags: { 'relay-to': receiving.url, ...flags },
      ...(deps && { deps }),
    })
    const scene = new RelayScene(server, receiving)
    await scene.run('CREATE TABLE orders (id INTEGER PRIMARY KEY, state TEXT, note TEXT)')
    await scene.run('CREATE TABLE payment (id INTEGER PRIMARY KEY, amount INTEGER)')
    await scene.run('CREATE TABLE other (id INTEGER PRIMARY KEY)')
    return scene
  }

  async run(sql: string, more: Readonly<Record<string, unknown>> = {}): Promise<AnswerBody> {
    const { status, body, text } = await this.server.query(sql, more)
    assert.equal(status, 200, `${sql}: ${text}`.slice(0, 1_000))
    return body
  }

  /** Makes the relay, and lets the receiver know its secret. */
  async createRelay(clauses = ''): Promise<string> {
    const sql = `CREATE RELAY shop ON TABLES orders, payment TO '${this.receiving.url}'${clauses}`
    const { results } = await this.run(sql)
    const { secret } = results[0].rows[0]
    this.receiving.secret = secret
    return secret
  }

  async relay(): Promise<AnswerBody> {
    const [row] = await this.server.rows('SHOW RELAYS')
    return row
  }

  /** Waits until the receiver has every row that the server has. */
  async untilCopied(table = 'orders'): Promise<void> {
    const rows = await this.server.rows(`SCAN * FROM ${table} LIMIT 10000`)
    const wanted = JSON.stringify(rows.map(byName).sort())
    const isSame = () => JSON.stringify(this.receiving.copyOf(table).map(byName).sort()) === wanted
    await this.receiving.until(isSame, `the receiver has the rows of ${table}`)
  }

  /** Waits until the receiver has taken so many messages. */
  async untilSent(count: number): Promise<void> {
    const isSent = async () => (await this.relay()).sent === count
    await this.receiving.until(isSent, `${count} messages are taken`)
  }

  async untilState(state: string): Promise<AnswerBody> {
    let found: AnswerBody
    await this.receiving.until(async () => {
      found = await this.relay()
      return found?.state === state
    }, `the relay is ${state}`)
    return found
  }
}

function byName(row: Record<string, unknown>): string {
  return JSON.stringify(row, Object.keys(row).sort())
}
