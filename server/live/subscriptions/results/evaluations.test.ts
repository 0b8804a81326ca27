// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { SeededRandomness } from '../../../../test/seeded-randomness.ts'
import { openSocket, type SocketClient } from '../../../../test/server/socket-client.ts'
import {
  type AnswerBody,
  startTestServer,
  type TestServer,
} from '../../../../test/server/test-server.ts'

const DEFINITIONS = [
  'CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT)',
  `CREATE TABLE item (room INTEGER, id INTEGER, customer INTEGER, price INTEGER, note TEXT, PRIMARY KEY (room, id),
     FAMILY apart (note))`,
  'CREATE INDEX byPrice ON item (price)',
  'CREATE INDEX byCustomer ON item (customer, price)',
  'CREATE TABLE other (id INTEGER PRIMARY KEY, n INTEGER)',
]
const ROOMS = 20
const ITEMS = 10
/** `EVALUATIONS_COMMITS=5000 EVALUATIONS_SEED=7` looks at more. */
const SEED = Number(process.env.EVALUATIONS_SEED ?? 1)
const COMMITS = Number(process.env.EVALUATIONS_COMMITS ?? 400)

/** Windows by key and by index, LOOKUPs, and aggregates, all of them of rooms and customers below `ROOMS`. */
function statementsOf(room: number): string[] {
  return [
    `SCAN id, price FROM item WHERE room = ${room} ORDER BY id DESC LIMIT 5`,
    `SCAN id, price FROM item WHERE room = ${room} AND id > 3 ORDER BY id LIMIT 5`,
    `SCAN id, price FROM item WHERE customer = ${room} ORDER BY price DESC LIMIT 3`,
    `SCAN count(*) AS n FROM item WHERE room = ${room}`,
    `SCAN customer, sum(price) AS total FROM item WHERE room = ${room} GROUP BY customer`,
    `SCAN i.id, c.name FROM item AS i LOOKUP customer AS c BY c.id = i.customer OPTIONAL WHERE i.room = ${room} LIMIT 4`,
    `SCAN DISTINCT customer FROM item WHERE room = ${room}`,
    `GET id, price FROM item WHERE room = ${room} AND id IN (1, 2, 77)`,
  ]
}

/** A commit of rows that none of the statements has read. */
function commitElsewhere(random: SeededRandomness): string {
  const room = ROOMS + random.below(ROOMS)
  const id = random.below(50)
  const customer = ROOMS + random.below(ROOMS)
  const price = 1_000 + random.below(1_000)
  const all = [
    `INSERT INTO item (room, id, customer, price) VALUES (${room}, ${id}, ${customer}, ${price}) ON CONFLICT DO UPDATE SET price = ${price}`,
    `DELETE FROM item WHERE room = ${room} AND id = ${id}`,
    `INSERT INTO customer (id, name) VALUES (${customer}, 'c') ON CONFLICT DO UPDATE SET name = '${id}'`,
    `SET n = ${id} ON other WHERE id = ${id}`,
    // In rows that they have read, and a family that they have not.
    `SET note = '${id}' ON item WHERE room = ${random.below(ROOMS)} AND id = ${1 + random.below(ITEMS)}`,
  ]
  return all[random.below(all.length)] as string
}

async function world(t: TestContext) {
  const server = await startTestServer(t)
  const { port } = await server.listen()
  for (const sql of DEFINITIONS) await server.rows(sql)
  await server.indexesBuilt('item')
  const rows = Array.from({ length: ROOMS * ITEMS }, (_, at) => {
    const [room, id] = [Math.floor(at / ITEMS), 1 + (at % ITEMS)]
    return `(${room}, ${id}, ${(room + id) % ROOMS}, ${at})`
  })
  await server.rows(`INSERT INTO item (room, id, customer, price) VALUES ${rows.join()}`)
  return { server, port, connect: () => openSocket(t, port) }
}

/** Subscribes to all of them, and resolves when each has its first state. */
async function subscribeAll(client: SocketClient, statements: readonly string[]): Promise<void> {
  for (const [at, sql] of statements.entries()) {
    client.send({ type: 'subscribe', id: `${at}`, sql, mode: 'result' })
  }
  for (const at of statements.keys()) {
    await client.next(({ id, type }) => id === `${at}` && type === 'snapshotEnd')
  }
}

async function evaluations(server: TestServer): Promise<number> {
  const { body } = await server.get('/v1/subscriptions?limit=1000')
  const results = body.subscriptions.map(({ result }: AnswerBody) => result.evaluations)
  return results.reduce((sum: number, one: number) => sum + one, 0)
}

/** Waits until all live results know this commit. */
async function settled(server: TestServer, timestamp: number): Promise<void> {
  for (;;) {
    const { body } = await server.get('/v1/subscriptions?limit=1000')
    if (body.subscriptions.every(({ position }: AnswerBody) => position >= timestamp)) return
    await setImmediate()
  }
}

test(`commits outside of what live results have read evaluate none of them, seed ${SEED}`, async (t) => {
  const random = new SeededRandomness(SEED)
  const { server, connect } = await world(t)
  const statements = Array.from({ length: ROOMS }, (_, room) => statementsOf(room)).flat()
  for (let at = 0; at < statements.length; at += 80) {
    await subscribeAll(await connect(), statements.slice(at, at + 80))
  }
  assert.equal(await evaluations(server), statements.length)
  let newest = 0
  for (let commit = 0; commit < COMMITS; commit += 1) {
    const { status, body, text } = await server.query(commitElsewhere(random))
    assert.equal(status, 200, text)
    newest = body.commitTimestamp ?? newest
  }
  await settled(server, newest)
  assert.equal(await evaluations(server), statements.length)
  // A commit that touches each of the kinds is seen, so the counting counts.
  const { body } = await server.query('SET price = 5000 ON item WHERE room = 3 AND id = 10')
  await settled(server, body.commitTimestamp)
  assert.ok((await evaluations(server)) > statements.length)
})

test('commits into different windows evaluate one of them each, at most', async (t) => {
  const { server, connect } = await world(t)
  const windows = Array.from({ length: ROOMS }, (_, room) => statementsOf(room)[0] as string)
  await subscribeAll(await connect(), windows)
  let newest = 0
  for (let commit = 0; commit < 5 * ROOMS; commit += 1) {
    const sql = `SET price = ${commit} ON item WHERE room = ${commit % ROOMS} AND id = ${ITEMS}`
    newest = (await server.query(sql)).body.commitTimestamp
  }
  await settled(server, newest)
  const counted = (await evaluations(server)) - windows.length
  assert.ok(counted >= windows.length && counted <= 5 * ROOMS, `${counted}`)
})

test('all who ask for one window share its evaluations', async (t) => {
  const { server, connect } = await world(t)
  const [window = ''] = statementsOf(1)
  const clients = await Promise.all([connect(), connect(), connect()])
  for (const client of clients) await subscribeAll(client, Array(20).fill(window))
  const { body } = await server.get('/v1/subscriptions?limit=1')
  const before = body.subscriptions[0].result
  assert.equal(before.subscribers, 60)
  let newest = 0
  for (let commit = 0; commit < 20; commit += 1) {
    const sql = `SET price = ${9_000 + commit} ON item WHERE room = 1 AND id = ${ITEMS}`
    newest = (await server.query(sql)).body.commitTimestamp
  }
  await settled(server, newest)
  const { result } = (await server.get('/v1/subscriptions?limit=1')).body.subscriptions[0]
  const counted = result.evaluations - before.evaluations
  assert.ok(counted >= 1 && counted <= 20, `${counted}`)
})
