// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'
import { openSocket } from '../../../test/server/socket-client.ts'
import { type AnswerBody, startTestServer } from '../../../test/server/test-server.ts'
import { TokenServer } from '../../../test/server/token-server.ts'
import type { Turns } from '../../guard/budgets/turns.ts'
import { RunningRequest } from '../../requests/prepared/running-request.ts'
import type { Subscription } from './subscription.ts'
import { furthestBehind } from './subscription-list.ts'

const ACCOUNT = 'CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)'
const POOR = "SCAN * FROM account USE PRIMARY KEY WHERE balance < 5 AND id != 'secret'"

describe('GET /v1/subscriptions', () => {
  it('has what each was sent and how far it has come, of sockets and of lines', async (t) => {
    const server = await startTestServer(t)
    const { port } = await server.listen()
    await server.query(ACCOUNT)
    const client = await openSocket(t, port)
    await client.subscribe('poor', POOR)
    const path = `/v1/changes?${new URLSearchParams({ sql: 'SCAN id FROM account' })}`
    const asking = request({ port, path }).end()
    const [answer] = (await once(asking, 'response')) as [IncomingMessage]
    t.after(() => answer.destroy())
    const lines = createInterface({ input: answer })[Symbol.asyncIterator]()
    await lines.next()
    const { body } = await server.query("SET balance = 1 ON account WHERE id = 'bob'")
    await client.about('poor')
    await lines.next()
    const list = async (): Promise<AnswerBody> => (await server.get('/v1/subscriptions')).body
    const ofStatement = async (start: string) =>
      (await list()).subscriptions.find(({ statement }: AnswerBody) => statement.startsWith(start))

    const poor = await ofStatement('SCAN *')
    const { position, ...facts } = poor
    assert.deepEqual(facts, {
      client: '127.0.0.1',
      mode: 'rows',
      statement: 'SCAN * FROM account USE PRIMARY KEY WHERE balance < ? AND id != ?',
      state: 'live',
      lagMs: 0,
      told: 1,
      unsentBytes: 0,
    })
    assert.ok(position >= body.commitTimestamp)
    const ids = await ofStatement('SCAN id')
    assert.deepEqual([ids.state, ids.told, ids.lagMs], ['live', 1, 0])

    client.send({ type: 'pause', id: 'poor' })
    await client.query("SET balance = 2 ON account WHERE id = 'bob'")
    await lines.next()
    const paused = await ofStatement('SCAN *')
    assert.deepEqual([paused.state, paused.told], ['paused', 1])
    assert.ok(paused.lagMs > 0)

    const { subscriptions, total } = (await server.get('/v1/subscriptions?limit=1')).body
    assert.deepEqual([subscriptions.length, subscriptions[0].state, total], [1, 'paused', 2])
    client.send({ type: 'unsubscribe', id: 'poor' })
    await client.about('poor')
    assert.equal((await list()).total, 1)
  })

  it('is for administrators alone, and has no value of their statements', async (t) => {
    const tokens = await TokenServer.start(t)
    const { port } = await tokens.server.listen()
    await tokens.query(ACCOUNT)
    await tokens.query('CREATE ROLE app')
    await tokens.query('CREATE ROLE operator')
    await tokens.query('GRANT READ ON account TO app')
    await tokens.query('GRANT INSPECT TO operator')
    const made = (role: string) => tokens.made(`CREATE TOKEN ${role} ROLE ${role} EXPIRES IN 1 DAY`)
    const [app, operator] = [tokens.as(await made('app')), tokens.as(await made('operator'))]
    const client = await openSocket(t, port, { headers: app.headers })
    await client.subscribe('poor', POOR)
    for (const other of [app, operator]) {
      const { status, body } = await other.send({ path: '/v1/subscriptions' })
      assert.deepEqual([status, body.code], [403, 'not_permitted'])
    }
    const { body, text } = await tokens.as(tokens.token).send({ path: '/v1/subscriptions' })
    assert.match(body.subscriptions[0].client, /^token:/)
    assert.doesNotMatch(text, /secret/)
  })
})

describe('the list of subscriptions', () => {
  const running = new RunningRequest()
  const sink = { unsentBytes: 0 }
  const at = (position: number) =>
    ({ position, running, sink, state: 'live', toldCount: 0 }) as unknown as Subscription

  it('has the furthest behind of very many, in their order', async () => {
    const positions = Array.from({ length: 1_000 }, (_, n) => (n * 617) % 1_000)
    const found = await furthestBehind(positions.map(at), {
      limit: 10,
      positionOf: ({ position }) => position,
      turns: running.turns,
    })
    assert.deepEqual(
      found.map(({ position }) => position),
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    )
  })

  it('gives others their turn', async () => {
    let pauses = 0
    const pause = async () => {
      pauses += 1
    }
    const turns = { isDue: true, pause } as unknown as Turns
    const looked = { limit: 10, positionOf: () => 1, turns }
    await furthestBehind([at(1), at(1), at(1)], looked)
    assert.equal(pauses, 3)
  })
})
