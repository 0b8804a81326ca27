// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { given } from '../test/client-sdk/scripted-socket.ts'
import { ServerProcess } from '../test/server/server-process.ts'
import { connect, type PercoliteError } from './client.ts'

// Clients of a server that is started again with another store: what they remember is of none that there is.

const ALL = 'SCAN * FROM account USE PRIMARY KEY'

/** A server in memory, so that each of its starts has a store and a history of its own, at one address. */
class RenewedServer {
  #server: ServerProcess
  readonly #port: string

  private constructor(server: ServerProcess) {
    this.#server = server
    this.#port = new URL(server.url).port
  }

  static async start(t: TestContext): Promise<RenewedServer> {
    const renewed = new RenewedServer(await ServerProcess.start('unused', ['--engine', 'memory']))
    t.after(() => renewed.#server.killNine())
    await renewed.fill(10)
    return renewed
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  async renew(balance: number): Promise<void> {
    await this.#server.stop()
    const flags = ['--engine', 'memory', '--port', this.#port]
    this.#server = await ServerProcess.start('unused', flags)
    await this.fill(balance)
  }

  /** By a client of its own, which remembers nothing. */
  async fill(balance: number): Promise<number> {
    const db = connect({ url: this.url })
    await db.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL)')
    const sql = "INSERT INTO account (id, balance) VALUES ('bob', $1)"
    const { commitTimestamp } = await db.query(sql, [balance])
    db.close()
    return commitTimestamp as number
  }
}

test('db.live over a store that was replaced gives the rows that there are, and says why', async (t) => {
  const server = await RenewedServer.start(t)
  const db = connect({ url: server.url })
  t.after(() => db.close())
  const met: string[] = []
  const onReconnect = ({ code }: PercoliteError) => met.push(code)
  await using live = db.live<{ balance: number }>(ALL, [], { onReconnect })
  assert.deepEqual(await given(live.next()), [{ id: 'bob', balance: 10 }])
  const next = live.next()
  await server.renew(99)
  // A snapshot may be of before the row was there again.
  let rows = (await next).value
  while (rows?.[0]?.balance !== 99) rows = (await live.next()).value
  assert.deepEqual(rows, [{ id: 'bob', balance: 99 }])
  assert.ok(met.includes('history_replaced'), met.join())
})

test('a bookmark with its history restarts with a reset, and so does one without', async (t) => {
  const server = await RenewedServer.start(t)
  const db = connect({ url: server.url })
  t.after(() => db.close())
  const before = db.subscribe(ALL, [], { snapshot: true })
  while ((await given(before.next())).kind !== 'snapshot');
  const { position: since, history } = before
  await before.return()
  assert.match(history ?? '', /^[0-9a-f]{32}\.[0-9a-f]{24}$/)
  await server.renew(99)
  for (const bookmark of [{ since, history }, { since }]) {
    await using subscription = db.subscribe(ALL, [], bookmark)
    const reset = { kind: 'reset', reason: 'history_replaced' }
    assert.deepEqual(await given(subscription.next()), reset)
    assert.equal((await given(subscription.next())).kind, 'rows')
    assert.equal((await given(subscription.next())).kind, 'snapshot')
    assert.notEqual(subscription.history, history)
    const strict = db.subscribe(ALL, [], { ...bookmark, snapshot: false })
    await assert.rejects(strict.next(), { code: 'history_replaced', httpStatus: 410 })
  }
})

test('a transaction and a moment of the store that was replaced are refused, and new ones are not', async (t) => {
  const server = await RenewedServer.start(t)
  const db = connect({ url: server.url })
  t.after(() => db.close())
  const { readTimestamp: asOf } = await db.query(ALL)
  const tx = await db.begin()
  await tx.query("SET balance = 11 ON account WHERE id = 'bob'")
  await server.renew(99)
  await assert.rejects(tx.query(ALL), { code: 'history_replaced' })
  await tx.rollback()
  await assert.rejects(db.query(ALL, [], { asOf }), { code: 'history_replaced' })
  const { rows } = await db.query(ALL)
  assert.deepEqual(rows, [{ id: 'bob', balance: 99 }])
  await db.transaction(async (again) => {
    await again.query("SET balance = 12 ON account WHERE id = 'bob'")
  })
})
