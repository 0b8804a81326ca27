// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { startBreakingProxy } from '../../test/client-sdk/breaking-proxy.ts'
import { startRealServer } from '../../test/client-sdk/real-server.ts'
import { given } from '../../test/client-sdk/scripted-socket.ts'
import { SeededRandomness } from '../../test/seeded-randomness.ts'
import { ServerProcess } from '../../test/server/server-process.ts'
import { testFolder } from '../../test/test-folder.ts'
import { type Change, connect } from '../client.ts'

// Subscriptions, live rows and observers against the real server, over connections that break.

const { url, db } = await startRealServer()

const CONDITION = 'id >= 0 AND amount < 50'
const matches = (amount: number | undefined) => amount !== undefined && amount < 50

type Written = {
  readonly table: string
  /** What is in the table now. */
  readonly amounts: Map<number, number>
  readonly random: SeededRandomness
}

/** A commit that somebody who watches CONDITION has to hear of. */
type Heard = { readonly timestamp: number; readonly isLong: boolean }

/** Writes rows as the seed has it, a commit after the other, and answers which are to be heard of. */
async function writeAtRandom(
  { table, amounts, random }: Written,
  commits: number,
): Promise<Heard[]> {
  const heard: Heard[] = []
  for (let commit = 0; commit < commits; commit += 1) {
    const isLong = random.below(20) === 0
    // Twelve such rows take several frames.
    const note = 'x'.repeat(isLong ? 150_000 : 10)
    const ids = new Set(Array.from({ length: isLong ? 12 : 4 }, () => random.below(30)))
    let isHeard = false
    const statements = [...ids].map((id) => {
      const amount = random.fraction() < 0.25 ? undefined : random.below(100)
      isHeard ||= matches(amounts.get(id)) || matches(amount)
      if (amount === undefined) amounts.delete(id)
      else amounts.set(id, amount)
      return amount === undefined
        ? { sql: `DELETE FROM ${table} WHERE id = $1`, params: [id] }
        : {
            sql: `SET amount = $2, note = $3 ON ${table} WHERE id = $1`,
            params: [id, amount, note],
          }
    })
    const { commitTimestamp } = await db.execute(statements)
    if (isHeard) heard.push({ timestamp: commitTimestamp as number, isLong })
  }
  return heard
}

type Item = { readonly id: number; readonly amount: number; readonly note: string }

async function amountsAt(table: string, timestamp: number) {
  const sql = `SCAN id, amount FROM ${table} WHERE ${CONDITION}`
  const { rows } = await db.query<Item>(sql, [], { asOf: timestamp })
  return rows.map(({ id, amount }) => [id, amount])
}

function applyTo(items: Map<number, number>, { key, row }: Change<Item>): void {
  if (row === undefined) items.delete(key[0] as number)
  else items.set(row.id, row.amount)
}

const inKeyOrder = (items: ReadonlyMap<number, number>) => [...items].sort(([a], [b]) => a - b)

/** Breaks every connection of the proxy again and again, until it is stopped. */
function breakAtRandom(proxy: { breakAll(): void }, random: SeededRandomness) {
  const stopping = new AbortController()
  const breaking = (async () => {
    while (!stopping.signal.aborted) {
      await setTimeout(random.below(80), undefined, { signal: stopping.signal })
      proxy.breakAll()
    }
  })().catch(() => undefined)
  return {
    stop: async () => {
      stopping.abort()
      await breaking
    },
  }
}

/** More than so many belong to a run. */
const LOSSES = 3

for (const seed of [1, 2]) {
  test(`over connections that break, seed ${seed}: every commit once, whole and in order, and the rows are those of a SCAN`, async (t) => {
    const table = `item${seed}`
    const written = { table, amounts: new Map(), random: new SeededRandomness(seed) }
    await db.query(`CREATE TABLE ${table} (id INTEGER PRIMARY KEY, amount INTEGER, note TEXT)`)
    const early = await writeAtRandom(written, 20)
    const proxy = await startBreakingProxy(t, url)
    let losses = 0
    const far = connect({ url: proxy.url })
    t.after(() => far.close())
    const sql = `SCAN * FROM ${table} WHERE ${CONDITION}`
    const onReconnect = () => {
      losses += 1
    }
    const subscription = far.subscribe<Item>(sql, [], {
      snapshot: true,
      progress: true,
      onReconnect,
    })
    const first = await given(subscription.next())

    const breaker = breakAtRandom(proxy, new SeededRandomness(seed + 100))
    let snapshotAt = 0
    const writing = writeAtRandom(written, 80).then(async (heard) => {
      // On a busy machine all may be written before the connection was often lost.
      while (losses <= LOSSES) heard.push(...(await writeAtRandom(written, 5)))
      await breaker.stop()
      // There, too, the snapshot may be that late.
      const isHeardLater = (one: Heard) =>
        one.isLong && snapshotAt > 0 && one.timestamp > snapshotAt
      while (!heard.some(isHeardLater)) heard.push(...(await writeAtRandom(written, 5)))
      const { commitTimestamp } = await db.query(
        `SET amount = 1, note = '' ON ${table} WHERE id = 0`,
      )
      return [...heard, { timestamp: commitTimestamp as number, isLong: false }]
    })
    let end = Number.POSITIVE_INFINITY
    writing.then((heard) => {
      end = heard.at(-1)?.timestamp ?? 0
    })
    let items = new Map<number, number>()
    const got: number[] = []
    for (let event = first; ; event = await given(subscription.next())) {
      if (event.kind === 'reset') items = new Map()
      else if (event.kind === 'rows')
        for (const { row } of event.rows) items.set(row.id, row.amount)
      else if (event.kind === 'snapshot') snapshotAt = event.timestamp
      else if (event.kind === 'commit') {
        for (const change of event.changes) applyTo(items, change)
        got.push(event.timestamp)
      }
      if (event.kind === 'rows' || event.kind === 'reset') continue
      assert.deepEqual(inKeyOrder(items), await amountsAt(table, event.timestamp))
      // The writer is told of its last commit a little before or after its event comes.
      await setTimeout(0)
      if (event.timestamp >= end) break
    }
    const wanted = [...early, ...(await writing)].filter(({ timestamp }) => timestamp > snapshotAt)
    assert.deepEqual(
      got,
      wanted.map(({ timestamp }) => timestamp),
    )
    assert.ok(losses > LOSSES, `${losses} connections were lost`)
    assert.ok(wanted.some(({ isLong }) => isLong))
  })
}

test('live rows over connections that break are at each step those of a SCAN at that time', async (t) => {
  const written = { table: 'shown', amounts: new Map(), random: new SeededRandomness(7) }
  await db.query('CREATE TABLE shown (id INTEGER PRIMARY KEY, amount INTEGER, note TEXT)')
  await writeAtRandom(written, 10)
  const proxy = await startBreakingProxy(t, url)
  const far = connect({ url: proxy.url })
  t.after(() => far.close())
  await using live = far.live<Item>(`SCAN * FROM shown WHERE ${CONDITION}`)
  const first = await given(live.next())
  const breaker = breakAtRandom(proxy, new SeededRandomness(107))
  const writing = writeAtRandom(written, 80).then(async () => {
    await breaker.stop()
    await db.query("SET amount = 1, note = 'the last one' ON shown WHERE id = 0")
  })
  let arrays = 0
  for (let rows = first; ; rows = await given(live.next())) {
    arrays += 1
    const shown = rows.map(({ id, amount }) => [id, amount])
    assert.deepEqual(shown, await amountsAt('shown', live.timestamp as number))
    if (rows.some(({ note }) => note === 'the last one')) break
  }
  await writing
  assert.ok(arrays > 3, `${arrays} arrays`)
})

test('a reader that stops costs the client little, holds nobody up, and then gets everything', async (t) => {
  await db.query('CREATE TABLE bulk (id INTEGER PRIMARY KEY, amount INTEGER, note TEXT)')
  const proxy = await startBreakingProxy(t, url)
  const far = connect({ url: proxy.url })
  t.after(() => far.close())
  const insert = async (id: number) => {
    const params = [id, 1, 'x'.repeat(200_000)]
    const sql = 'INSERT INTO bulk (id, amount, note) VALUES ($1, $2, $3)'
    return (await db.query(sql, params)).commitTimestamp as number
  }
  const since = await insert(0)
  const sql = 'SCAN * FROM bulk USE PRIMARY KEY'
  const slow = far.subscribe<Item>(sql, [], { since })
  const quick = far.subscribe<{ id: number }>('SCAN id FROM bulk USE PRIMARY KEY', [], { since })
  const first = slow.next()
  for (let id = 1; id <= 60; id += 1) {
    await insert(id)
    const event = await given(quick.next())
    assert.deepEqual(event.kind === 'commit' && event.changes[0]?.key, [id])
  }
  assert.ok(proxy.answeredBytes < 6_000_000, `${proxy.answeredBytes} bytes of 12 million came`)
  for (let event = await given(first), id = 1; ; event = await given(slow.next()), id += 1) {
    assert.deepEqual(event.kind === 'commit' && event.changes[0]?.key, [id])
    if (id === 60) break
  }
})

test('live rows stand in the order of the primary key, whatever types it has', async () => {
  await db.query('CREATE TABLE ordered (t TEXT, b BYTES, n INTEGER, PRIMARY KEY (t DESC, b, n))')
  const rows = ['b', 'a', '\u{1f600}', '\uff61', 'a\u0000'].flatMap((text) =>
    [Uint8Array.of(0, 255), Uint8Array.of(128), new Uint8Array()].flatMap((bytes) =>
      [9, 10, -1].map((n) => [text, bytes, n]),
    ),
  )
  const insert = 'INSERT INTO ordered (t, b, n) VALUES ($1, $2, $3)'
  await db.execute(rows.slice(0, 20).map((params) => ({ sql: insert, params })))
  await using live = db.live('SCAN * FROM ordered USE PRIMARY KEY')
  await given(live.next())
  await db.execute(rows.slice(20).map((params) => ({ sql: insert, params })))
  const scanned = await db.query('SCAN * FROM ordered USE PRIMARY KEY')
  assert.deepEqual(await given(live.next()), scanned.rows)
})

test('more subscriptions than one socket takes are all told, and each of them only once', async (t) => {
  await db.query('CREATE TABLE crowded (id INTEGER PRIMARY KEY, amount INTEGER)')
  const far = connect({ url })
  t.after(() => far.close())
  const all = Array.from({ length: 130 }, (_, n) =>
    far.subscribe('SCAN * FROM crowded WHERE id >= :n', { n: n - 1_000 }, { snapshot: true }),
  )
  for (const { kind } of await Promise.all(all.map((one) => given(one.next())))) {
    assert.equal(kind, 'snapshot')
  }
  const { commitTimestamp } = await db.query('INSERT INTO crowded (id, amount) VALUES (1, 1)')
  for (const event of await Promise.all(all.map((one) => given(one.next())))) {
    assert.equal(event.kind === 'commit' && event.timestamp, commitTimestamp)
  }
})

test('a column that is added comes with the types of its values', async () => {
  const exact = connect({ url, integers: 'bigint' })
  await exact.query('CREATE TABLE widened (id INTEGER PRIMARY KEY)')
  await using live = exact.live('SCAN * FROM widened USE PRIMARY KEY')
  assert.deepEqual(await given(live.next()), [])
  await exact.query('ALTER TABLE widened ADD COLUMN big INTEGER')
  const largest = 2n ** 63n - 1n
  await exact.sql`SET big = ${largest} ON widened WHERE id = ${1}`
  assert.deepEqual(await given(live.next()), [{ id: 1n, big: largest }])
  exact.close()
})

test('live rows are those of the table when its columns change, also the rows that nobody writes', async (t) => {
  await db.query('CREATE TABLE reshaped (id INTEGER PRIMARY KEY, a TEXT)')
  await db.query("INSERT INTO reshaped (id, a) VALUES (1, 'old'), (2, 'old')")
  await using live = db.live('SCAN * FROM reshaped USE PRIMARY KEY')
  await using events = db.subscribe('SCAN * FROM reshaped USE PRIMARY KEY', [], { snapshot: true })
  while ((await given(events.next())).kind !== 'snapshot');
  assert.equal((await given(live.next())).length, 2)
  let id = 2
  const isShown = async () => {
    id += 1
    const { commitTimestamp } = await db.query('INSERT INTO reshaped (id) VALUES ($1)', [id])
    const event = await given(events.next())
    assert.equal(event.kind === 'commit' && event.timestamp, commitTimestamp)
    for (;;) {
      const rows = await given(live.next())
      const sql = 'SCAN * FROM reshaped USE PRIMARY KEY'
      const asOf = live.timestamp as number
      assert.deepEqual(rows, (await db.query(sql, [], { asOf })).rows)
      if (asOf >= (commitTimestamp as number)) return
    }
  }
  await db.query("ALTER TABLE reshaped ADD COLUMN b TEXT DEFAULT 'new'")
  await isShown()
  await db.query('ALTER TABLE reshaped DROP COLUMN a')
  await db.query("ALTER TABLE reshaped ADD COLUMN a TEXT DEFAULT 'again'")
  await isShown()
  // Into a column of the same name and type, and in the same place.
  await db.query('ALTER TABLE reshaped DROP COLUMN a')
  await db.query("ALTER TABLE reshaped ADD COLUMN a TEXT DEFAULT 'other'")
  await isShown()
  t.diagnostic(`${id} rows`)
})

test('a subscription goes on when the server was stopped and started again', async (t) => {
  const data = await testFolder(t, 'restart')
  let running = await ServerProcess.start(data)
  t.after(() => running.stop())
  const proxy = await startBreakingProxy(t, running.url)
  const client = connect({ url: proxy.url })
  t.after(() => client.close())
  await client.query('CREATE TABLE kept (id INTEGER PRIMARY KEY)')
  const kept = client.subscribe('SCAN * FROM kept USE PRIMARY KEY', [], { snapshot: true })
  assert.equal((await given(kept.next())).kind, 'snapshot')
  const keyOfNext = async () => {
    const event = await given(kept.next())
    return event.kind === 'commit' && event.changes[0]?.key
  }
  await client.query('INSERT INTO kept (id) VALUES (1)')
  assert.deepEqual(await keyOfNext(), [1])
  await client.query('INSERT INTO kept (id) VALUES (2)')
  await running.stop()
  running = await ServerProcess.start(data)
  proxy.turnTo(running.url)
  await client.query('INSERT INTO kept (id) VALUES (3)')
  assert.deepEqual([await keyOfNext(), await keyOfNext()], [[2], [3]])
})
