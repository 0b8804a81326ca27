// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { startBreakingProxy } from '../../test/client-sdk/breaking-proxy.ts'
import { startRealServer } from '../../test/client-sdk/real-server.ts'
import { SeededRandomness } from '../../test/seeded-randomness.ts'
import { connect, type Database, type ObserverEvent, type Transaction } from '../client.ts'

// Workers of observers against the real server.

const { url, db } = await startRealServer()

type Page = { readonly id: number; readonly text: string }

/** Two tables of this name and an observer of the first. */
async function createObserved(name: string) {
  await db.query(`CREATE TABLE ${name}_page (id INTEGER PRIMARY KEY, text TEXT)`)
  await db.query(
    `CREATE TABLE ${name}_seen (id INTEGER PRIMARY KEY, text TEXT, runs INTEGER DEFAULT 0)`,
  )
  await db.query(`CREATE OBSERVER ${name} ON ${name}_page (text)`)
}

/** What most functions here do: to write down that they ran, and for what. */
async function countRun(tx: Transaction, table: string, { key: [id], row }: ObserverEvent<Page>) {
  const { rows } = await tx.query<{ runs: number }>(`GET runs FROM ${table} WHERE id = $1`, [id])
  const runs = (rows[0]?.runs ?? 0) + 1
  const sql = `SET text = $2, runs = $3 ON ${table} WHERE id = $1`
  await tx.query(sql, [id, row?.text ?? null, runs])
}

/** A client of its own, as another process has it. */
function anotherClient(t: TestContext, at = url): Database {
  const client = connect({ url: at })
  t.after(() => client.close())
  return client
}

type Status = {
  readonly observer: string
  readonly pending: number
  readonly running: number
  readonly failures: number
  readonly lastError: { readonly error: string } | null
}

async function statusOf(name: string): Promise<Status> {
  const answer = await fetch(`${url}/v1/observers`)
  const { observers } = (await answer.json()) as { observers: Status[] }
  return observers.find(({ observer }) => observer === name) as Status
}

/** Waits until nothing is pending, which nobody is told of. */
async function drained(name: string): Promise<void> {
  while (true) {
    const { pending, running } = await statusOf(name)
    if (pending === 0 && running === 0) return
    await setTimeout(5)
  }
}

test('a function runs for each row that changes, and what it writes is committed with it', async () => {
  await createObserved('copy')
  const events: Array<ObserverEvent<Page>> = []
  await using worker = db.observe<Page>('copy', async (tx, event) => {
    events.push(event)
    const [id] = event.key
    if (event.row === undefined) await tx.sql`DELETE FROM copy_seen WHERE id = ${id}`
    else await tx.sql`SET text = ${event.row.text} ON copy_seen WHERE id = ${id}`
  })
  assert.equal(worker.observer, 'copy')
  await db.query("INSERT INTO copy_page (id, text) VALUES (1, 'one'), (2, 'two')")
  await drained('copy')
  await db.query('DELETE FROM copy_page WHERE id = 1')
  await drained('copy')
  const { rows } = await db.query('SCAN id, text FROM copy_seen USE PRIMARY KEY')
  assert.deepEqual(rows, [{ id: 2, text: 'two' }])
  assert.deepEqual(
    events.map(({ observer, table, key, row }) => [observer, table, key, row]).slice(-1),
    [['copy', 'copy_page', [1], undefined]],
  )
})

test('over connections that break, each change is observed by one commit and none is missed', async (t) => {
  await createObserved('hard')
  const proxy = await startBreakingProxy(t, url)
  const random = new SeededRandomness(3)
  let losses = 0
  const reached = Promise.withResolvers<void>()
  const work = async (tx: Transaction, event: ObserverEvent<Page>) => {
    reached.resolve()
    await countRun(tx, 'hard_seen', event)
  }
  const onReconnect = () => {
    losses += 1
  }
  const workers = [1, 2].map(() =>
    anotherClient(t, proxy.url).observe<Page>('hard', work, { workers: 3, onReconnect }),
  )
  const changes = new Map<number, number>()
  const latest = new Map<number, string>()
  for (let change = 0; change < 150; change += 1) {
    const id = random.below(10)
    const text = `change ${change}`
    await db.sql`SET text = ${text} ON hard_page WHERE id = ${id}`
    changes.set(id, (changes.get(id) ?? 0) + 1)
    latest.set(id, text)
    if (change === 0) await reached.promise
    if (change % 20 === 19) proxy.breakAll()
  }
  await drained('hard')
  for (const worker of workers) await worker.stop()
  const { rows } = await db.query<Page & { runs: number }>('SCAN * FROM hard_seen USE PRIMARY KEY')
  assert.deepEqual(new Map(rows.map(({ id, text }) => [id, text])), latest)
  for (const { id, runs } of rows)
    assert.ok(runs <= (changes.get(id) ?? 0), `${runs} runs of ${id}`)
  assert.ok(losses > 3, `${losses} connections were lost`)
})

test('a run that meets a conflict is repeated, and counts as no failure', async () => {
  await createObserved('clash')
  let runs = 0
  await using _ = db.observe<Page>('clash', async (tx, { key }) => {
    runs += 1
    const { rows } = await tx.sql<{ runs: number }>`GET runs FROM clash_seen WHERE id = ${key[0]}`
    if (runs === 1) await db.sql`SET runs = 5 ON clash_seen WHERE id = ${key[0]}`
    await tx.sql`SET runs = ${(rows[0]?.runs ?? 0) + 1} ON clash_seen WHERE id = ${key[0]}`
  })
  await db.query("SET text = 'new' ON clash_page WHERE id = 1")
  await drained('clash')
  const { rows } = await db.query('SCAN id, runs FROM clash_seen USE PRIMARY KEY')
  assert.deepEqual([rows, runs], [[{ id: 1, runs: 6 }], 2])
  assert.equal((await statusOf('clash')).failures, 0)
})

test('what a function throws is told to the server, nothing of the run is kept, and it runs again', async () => {
  await createObserved('fail')
  const errors: unknown[] = []
  let runs = 0
  const onError = (error: unknown, event: ObserverEvent<Page> | undefined) => {
    errors.push([String(error), event?.key])
  }
  await using _ = db.observe<Page>(
    'fail',
    async (tx, event) => {
      runs += 1
      await countRun(tx, 'fail_seen', event)
      if (runs === 1) throw new Error('the disk is on fire')
    },
    { onError },
  )
  await db.query("SET text = 'new' ON fail_page WHERE id = 1")
  await drained('fail')
  const { failures, lastError } = await statusOf('fail')
  assert.deepEqual([failures, lastError?.error], [1, 'the disk is on fire'])
  assert.deepEqual(errors, [['Error: the disk is on fire', [1]]])
  const { rows } = await db.query('SCAN id, runs FROM fail_seen USE PRIMARY KEY')
  assert.deepEqual(rows, [{ id: 1, runs: 1 }])
})

test('the error of a statement is told to the server with its code', async () => {
  await createObserved('wrong')
  let runs = 0
  await using _ = db.observe<Page>('wrong', async (tx) => {
    runs += 1
    if (runs === 1) await tx.query('GET nonsense FROM wrong_page WHERE id = 1')
  })
  await db.query("SET text = 'new' ON wrong_page WHERE id = 1")
  await drained('wrong')
  const { lastError } = await statusOf('wrong')
  assert.equal(lastError?.error, 'unknown_column: The table wrong_page has no column nonsense.')
})

test('more workers than a socket takes queries: no run fails that did not, and no row is held', async () => {
  await createObserved('many')
  const workers = 90
  let busy = 0
  let most = 0
  const gathered = Promise.withResolvers<void>()
  const failing = new Set<unknown>()
  const errors: unknown[] = []
  const work = async (tx: Transaction, event: ObserverEvent<Page>) => {
    busy += 1
    most = Math.max(most, busy)
    // All at once from then on, so that what they give back and ask for meets.
    if (busy === workers) gathered.resolve()
    await gathered.promise
    busy -= 1
    const [id] = event.key
    if (!failing.has(id)) {
      failing.add(id)
      throw new Error('on purpose')
    }
    await countRun(tx, 'many_seen', event)
  }
  const onError = (error: unknown) => errors.push(error)
  await using _ = db.observe<Page>('many', work, { workers, leaseMs: 600_000, onError })
  await db.execute(
    Array.from({ length: workers }, (_, id) => ({
      sql: "INSERT INTO many_page (id, text) VALUES ($1, 'new')",
      params: [id],
    })),
  )
  await drained('many')
  const { rows } = await db.query<{ runs: number }>('SCAN runs FROM many_seen USE PRIMARY KEY')
  assert.deepEqual([rows.length, rows.every(({ runs }) => runs === 1)], [workers, true])
  assert.deepEqual([most, (await statusOf('many')).failures], [workers, workers])
  assert.equal(errors.length, workers)
  for (const error of errors) assert.match(String(error), /on purpose/)
})

test('more workers than one socket allows have several sockets', async () => {
  await createObserved('crowd')
  await using one = db.observe<Page>('crowd', (tx, event) => countRun(tx, 'crowd_seen', event), {
    workers: 80,
  })
  await using other = db.observe<Page>('crowd', (tx, event) => countRun(tx, 'crowd_seen', event), {
    workers: 80,
  })
  await db.query("INSERT INTO crowd_page (id, text) VALUES (1, 'one'), (2, 'two'), (3, 'three')")
  await drained('crowd')
  await one.stop()
  await other.stop()
  await Promise.all([one.done, other.done])
})

test('a function that throws what is no text fails like all others', async () => {
  await createObserved('odd')
  let runs = 0
  await using _ = db.observe<Page>('odd', () => {
    runs += 1
    if (runs === 1) throw Object.create(null)
  })
  await db.query("SET text = 'new' ON odd_page WHERE id = 1")
  await drained('odd')
  const { failures, lastError } = await statusOf('odd')
  assert.deepEqual([runs, failures, lastError?.error], [2, 1, 'The run failed.'])
})

test('what a function throws that is told of failures ends neither the worker nor the process', async () => {
  for (const [name, onError] of [
    [
      'mute',
      () => {
        throw new Error('The log is full.')
      },
    ],
    [
      'dumb',
      async () => {
        throw new Error('The log is full.')
      },
    ],
  ] as const) {
    await createObserved(name)
    let runs = 0
    const work = async (tx: Transaction, event: ObserverEvent<Page>) => {
      runs += 1
      if (runs === 1) throw new Error('the disk is on fire')
      await countRun(tx, `${name}_seen`, event)
    }
    const worker = db.observe<Page>(name, work, { onError })
    await db.query(`SET text = 'new' ON ${name}_page WHERE id = 1`)
    await drained(name)
    assert.equal(runs, 2)
    await worker.stop()
    await worker.done
  }
})

test('a worker that is stopped finishes the run under way and takes no other', async (t) => {
  await createObserved('stopped')
  const far = anotherClient(t)
  const reached = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  let runs = 0
  const worker = far.observe<Page>('stopped', async (tx, { key }) => {
    runs += 1
    reached.resolve()
    await held.promise
    await tx.sql`SET runs = 1 ON stopped_seen WHERE id = ${key[0]}`
  })
  await db.query("INSERT INTO stopped_page (id, text) VALUES (1, 'one'), (2, 'two')")
  await reached.promise
  const stopped = worker.stop()
  // Longer than an idle socket is kept.
  await setTimeout(200)
  held.resolve()
  await stopped
  await worker.done
  const { rows } = await db.query('SCAN runs FROM stopped_seen USE PRIMARY KEY')
  assert.deepEqual([rows, runs], [[{ runs: 1 }], 1])
  // What was observed is cleared a little after its commit.
  while ((await statusOf('stopped')).pending !== 1) await setTimeout(5)
  await using other = db.observe<Page>('stopped', async (tx, { key }) => {
    await tx.sql`SET runs = 2 ON stopped_seen WHERE id = ${key[0]}`
  })
  await drained('stopped')
  assert.equal(other.observer, 'stopped')
})

test('a signal ends a run at once: it is rolled back, and another worker gets its row', async (t) => {
  await createObserved('given')
  const controller = new AbortController()
  const far = anotherClient(t)
  const reached = Promise.withResolvers<void>()
  const worker = far.observe<Page>(
    'given',
    async (tx, { key }) => {
      reached.resolve()
      await setTimeout(60_000, undefined, { signal: controller.signal }).catch(() => undefined)
      await tx.sql`SET runs = 100 ON given_seen WHERE id = ${key[0]}`
    },
    { signal: controller.signal },
  )
  await db.query("SET text = 'new' ON given_page WHERE id = 1")
  await reached.promise
  controller.abort()
  await worker.done
  await using _ = db.observe<Page>('given', async (tx, { key }) => {
    await tx.sql`SET runs = 1 ON given_seen WHERE id = ${key[0]}`
  })
  await drained('given')
  const { rows } = await db.query('SCAN runs FROM given_seen USE PRIMARY KEY')
  assert.deepEqual(rows, [{ runs: 1 }])
  assert.equal((await statusOf('given')).failures, 0)
})

test('a function that never ends does not keep its row when a signal or the client ends', async (t) => {
  await createObserved('endless')
  const controller = new AbortController()
  const endings = [
    { far: anotherClient(t), signal: controller.signal, end: () => controller.abort() },
    { far: anotherClient(t), end: () => endings[1]?.far.close() },
  ]
  await db.query("SET text = 'new' ON endless_page WHERE id = 1")
  for (const { far, end, ...options } of endings) {
    const reached = Promise.withResolvers<void>()
    const work = () => {
      reached.resolve()
      return new Promise<void>(() => undefined)
    }
    const worker = far.observe<Page>('endless', work, options)
    await reached.promise
    end()
    await worker.done
  }
  await using _ = db.observe<Page>('endless', (tx, event) => countRun(tx, 'endless_seen', event))
  await drained('endless')
  const { rows } = await db.query('SCAN runs FROM endless_seen USE PRIMARY KEY')
  assert.deepEqual([rows, (await statusOf('endless')).failures], [[{ runs: 1 }], 0])
})

test('an observer that is not there is an error of the worker, and closing the client ends it', async (t) => {
  await assert.rejects(db.observe('nothing', () => undefined).done, { code: 'unknown_observer' })
  await createObserved('closed')
  const far = anotherClient(t)
  const worker = far.observe('closed', () => undefined)
  await db.query("SET text = 'new' ON closed_page WHERE id = 1")
  await drained('closed')
  far.close()
  await worker.done
  await assert.rejects(far.subscribe('SCAN * FROM closed_page').next(), { code: 'client_closed' })
})
