// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { startBreakingProxy } from '../../test/client-sdk/breaking-proxy.ts'
import { startRealServer } from '../../test/client-sdk/real-server.ts'
import { given } from '../../test/client-sdk/scripted-socket.ts'
import { SeededRandomness } from '../../test/seeded-randomness.ts'
import { connect, type Splice } from '../client.ts'

// Statements whose rows depend on others, live against the real server.

const { url, db } = await startRealServer('--engine', 'memory')
await db.script(`
  CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
  CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer INTEGER NOT NULL, price INTEGER NOT NULL, data BYTES);
  CREATE INDEX purchase_by_price ON purchase (price);
  CREATE INDEX purchase_by_customer ON purchase (customer);
`)

const STATEMENTS = [
  'SCAN id, price FROM purchase USE PRIMARY KEY ORDER BY id DESC LIMIT 4',
  'SCAN id, price, data FROM purchase USE PRIMARY KEY ORDER BY price DESC, id LIMIT 3',
  'SCAN count(*) AS n FROM purchase USE PRIMARY KEY',
  'SCAN customer, sum(price) AS total, count(*) AS n FROM purchase USE INDEX purchase_by_customer GROUP BY customer HAVING n > 1',
  'SCAN DISTINCT customer FROM purchase USE INDEX purchase_by_customer',
  'SCAN p.id, p.price, c.name FROM purchase AS p USE PRIMARY KEY LOOKUP customer AS c BY c.id = p.customer OPTIONAL ORDER BY p.id LIMIT 5',
  'SCAN id, price FROM purchase WHERE price > 40 LIMIT 5',
  'GET * FROM customer WHERE id = 1',
]

/** A write that changes what some of them answer. */
async function writeAtRandom(random: SeededRandomness): Promise<void> {
  const id = random.below(12)
  const customer = random.below(4)
  const write = random.below(4)
  if (write === 0) await db.query('DELETE FROM purchase WHERE id = $1', [id])
  else if (write === 1) await db.table('customer').put(customer, { name: `n${random.below(9)}` })
  else {
    const row = { customer, price: random.below(100), data: Uint8Array.of(id, random.below(3)) }
    await db.table('purchase').put(id, row)
  }
}

async function answerAt(sql: string, asOf: number | undefined) {
  const { rows } = await db.query<object>(sql, [], asOf === undefined ? {} : { asOf })
  return rows
}

test('over connections that break each array is what the statement answers as of its stamp, and the last one of now', async (t) => {
  const seed = Math.floor(performance.timeOrigin)
  t.diagnostic(`seed ${seed}`)
  const random = new SeededRandomness(seed)
  const proxy = await startBreakingProxy(t, url)
  const far = connect({ url: proxy.url })
  t.after(() => far.close())
  let reconnects = 0
  const followed = STATEMENTS.map((sql) => {
    const states: Array<{ readonly rows: object[]; readonly timestamp: number | undefined }> = []
    const live = far.live<object>(sql, [], { mode: 'result', onReconnect: () => (reconnects += 1) })
    const following = (async () => {
      for await (const rows of live) states.push({ rows, timestamp: live.timestamp })
    })()
    return { sql, live, states, following }
  })
  for (const { states, following } of followed) {
    while (states.length === 0) await Promise.race([following, setTimeout(5)])
  }
  for (let write = 0; write < 80 || reconnects < 4 * STATEMENTS.length; write += 1) {
    if (random.below(10) === 0) proxy.breakAll()
    await writeAtRandom(random)
    if (random.below(3) === 0) await setTimeout(random.below(20))
  }
  let stateCount = 0
  for (const { sql, live, states } of followed) {
    const newest = await answerAt(sql, undefined)
    const isNewest = () => JSON.stringify(states.at(-1)?.rows) === JSON.stringify(newest)
    for (let tries = 0; !isNewest() && tries < 400; tries += 1) await setTimeout(25)
    assert.deepEqual(states.at(-1)?.rows, newest, sql)
    for (const { rows, timestamp } of states) {
      assert.deepEqual(rows, await answerAt(sql, timestamp), `${sql} AS OF ${timestamp}`)
    }
    const stamps = states.map(({ timestamp }) => timestamp ?? 0)
    assert.deepEqual(stamps, stamps.toSorted(), sql)
    stateCount += states.length
    await live.return()
  }
  t.diagnostic(`${stateCount} states, ${reconnects} reconnects`)
})

test('a bookmark goes on by a patch where the list is known, and by a reset where it is another', async () => {
  const sql = 'SCAN id, price FROM purchase USE PRIMARY KEY ORDER BY price, id LIMIT 3'
  await db.query('DELETE FROM purchase WHERE id >= 0')
  for (const id of [1, 2, 3]) await db.table('purchase').put(id, { customer: 1, price: id })
  type Priced = { readonly id: number; readonly price: number }
  let list: Priced[] = []
  const apply = (splices: ReadonlyArray<Splice<Priced>>) => {
    for (const [at, deleted, rows] of splices) list.splice(at, deleted, ...rows)
  }
  const first = db.subscribe<Priced>(sql, [], { mode: 'result' })
  const begun = await given(first.next())
  assert.ok(begun.kind === 'rows')
  list = [...begun.rows]
  assert.equal((await given(first.next())).kind, 'snapshot')
  const bookmark = JSON.parse(JSON.stringify(first.bookmark))
  await first.return()
  await db.table('purchase').put(0, { customer: 1, price: 0 })
  const second = db.subscribe<Priced>(sql, [], { ...bookmark, mode: 'result' })
  const patched = await given(second.next())
  assert.ok(patched.kind === 'patch')
  apply(patched.splice)
  assert.deepEqual(
    list.map(({ id }) => id),
    [0, 1, 2],
  )
  await second.return()
  const other = { ...bookmark, mode: 'result', digest: 'A'.repeat(22) } as const
  const third = db.subscribe<Priced>(sql, [], other)
  assert.equal((await given(third.next())).kind, 'reset')
  const whole = await given(third.next())
  assert.deepEqual(whole.kind === 'rows' && whole.rows, list)
  await third.return()
})

test('a table that gets another column patches all rows of a list, and none is of the columns before', async (t) => {
  await db.query('CREATE TABLE item (id INTEGER PRIMARY KEY, n INTEGER)')
  await db.query('INSERT INTO item (id, n) VALUES (1, 7), (2, 8)')
  const live = db.live<object>('SCAN * FROM item USE PRIMARY KEY LIMIT 5')
  t.after(() => live.return())
  assert.deepEqual(await given(live.next()), [
    { id: 1, n: 7 },
    { id: 2, n: 8 },
  ])
  await db.query("ALTER TABLE item ADD COLUMN note TEXT DEFAULT 'none'")
  let rows = await given(live.next())
  while (!('note' in (rows[0] ?? {}))) rows = await given(live.next())
  assert.deepEqual(rows, [
    { id: 1, n: 7, note: 'none' },
    { id: 2, n: 8, note: 'none' },
  ])
})

test('without a mode a statement of rows is told as before, and one of a result as its list', async (t) => {
  await db.query('CREATE TABLE plain (id INTEGER PRIMARY KEY)')
  await db.query('INSERT INTO plain (id) VALUES (1)')
  for (const [sql, rows] of [
    ['SCAN * FROM plain USE PRIMARY KEY', [{ key: [1], row: { id: 1 } }]],
    ['SCAN * FROM plain USE PRIMARY KEY LIMIT 1', [{ id: 1 }]],
  ] as const) {
    const subscription = db.subscribe(sql, [], { snapshot: true })
    t.after(() => subscription.return())
    assert.deepEqual(await given(subscription.next()), { kind: 'rows', rows })
  }
  const refused = db.subscribe('SCAN * FROM plain LIMIT 1', [], { mode: 'rows' })
  await assert.rejects(refused.next(), { code: 'not_subscribable' })
})
