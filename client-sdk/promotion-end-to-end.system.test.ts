// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { vacantUrl } from '../test/client-sdk/refusing-server.ts'
import { ServerProcess } from '../test/server/server-process.ts'
import { testFolder } from '../test/test-folder.ts'
import { connect, type Database, PercoliteError } from './client.ts'

// A stream of writes while the first server ends and a second one opens a copy of its data, as a promoted standby does.

const WRITERS = 4

/** Writes rows with numbers of its own, each with one more in a counter, until it is stopped. */
class Writer {
  readonly #db: Database
  readonly #first: number
  /** Of the rows whose commit was answered, when that was. */
  readonly acknowledged = new Map<number, number>()
  /** Of the rows whose outcome is not known. */
  readonly unknown = new Set<number>()
  /** Those that ran again, and others whose error said that nothing was kept. */
  readonly codes = new Set<string>()
  #isStopped = false
  readonly #done: Promise<void>

  constructor(db: Database, first: number) {
    this.#db = db
    this.#first = first
    this.#done = this.#write()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#done
  }

  async #write(): Promise<void> {
    for (let id = this.#first; !this.#isStopped; id += 1) {
      try {
        // Half of them in one request, which is never sent twice; half in a transaction over several.
        const commitTs = id % 2 === 0 ? await this.#inOne(id) : await this.#inSeveral(id)
        this.acknowledged.set(id, commitTs as number)
      } catch (error) {
        if (!(error instanceof PercoliteError)) throw error
        this.codes.add(error.code)
        this.unknown.add(id)
        await pause(20)
      }
    }
  }

  async #inOne(id: number): Promise<number | undefined> {
    const insert = { sql: 'INSERT INTO item (id, writes) VALUES ($1, 1)', params: [id] }
    return (await this.#db.execute([insert, COUNT])).commitTimestamp
  }

  async #inSeveral(id: number): Promise<number | undefined> {
    let tx: { readonly commitTimestamp: number | undefined } | undefined
    await this.#db.transaction(
      async (opened) => {
        tx = opened
        await opened.query('INSERT INTO item (id, writes) VALUES ($1, 1)', [id])
        await opened.query(COUNT)
      },
      { tries: 30 },
    )
    return tx?.commitTimestamp
  }
}

const COUNT = "SET n = n + 1 ON total WHERE name = 'rows'"

async function until(isSo: () => boolean): Promise<void> {
  for (let waits = 0; !isSo() && waits < 1_500; waits += 1) await pause(20)
  assert.ok(isSo(), 'it takes longer than 30 seconds')
}

async function serve(t: TestContext, data: string, url: string): Promise<ServerProcess> {
  const server = await ServerProcess.start(data, ['--port', new URL(url).port])
  t.after(() => server.killNine())
  return server
}

/** The rows that a subscriber has, why it restarted, and what ended it. */
function follow(db: Database) {
  const resets: unknown[] = []
  const told = new Set<number>()
  const following = async () => {
    const events = db.subscribe<{ id: number }>('SCAN * FROM item USE PRIMARY KEY', [], {
      snapshot: true,
    })
    for await (const event of events) {
      if (event.kind === 'reset') {
        resets.push(event.reason)
        told.clear()
      }
      if (event.kind === 'rows') for (const { row } of event.rows) told.add(row.id)
      if (event.kind === 'commit') for (const { row } of event.changes) told.add(row?.id as number)
    }
  }
  const ended = following().catch((error: PercoliteError) => error.code)
  return { resets, told, ended }
}

async function createTables(url: string): Promise<void> {
  const setUp = connect({ url })
  await setUp.query('CREATE TABLE item (id INTEGER PRIMARY KEY, writes INTEGER NOT NULL)')
  await setUp.query('CREATE TABLE total (name TEXT PRIMARY KEY, n INTEGER NOT NULL)')
  await setUp.query("INSERT INTO total (name, n) VALUES ('rows', 0)")
}

test('a promotion in a stream of writes: each acknowledged one is there or is history_replaced, none is there twice', async (t) => {
  const [a, b] = [await vacantUrl(), await vacantUrl()]
  const dataOfA = await testFolder(t, 'promotion-a')
  const dataOfB = join(await testFolder(t, 'promotion-b'), 'data')
  let first = await serve(t, dataOfA, a)
  await createTables(a)

  const db = connect({ url: [a, b], timeoutMs: 10_000 })
  t.after(() => db.close())
  const { resets, told, ended } = follow(db)
  const writers = Array.from({ length: WRITERS }, (_, at) => new Writer(db, at * 1_000_000))

  t.after(() => Promise.all(writers.map((writer) => writer.stop())))

  await pause(700)
  // What the standby has: all of now, and nothing that comes after it.
  await first.stop()
  await cp(dataOfA, dataOfB, { recursive: true })
  first = await serve(t, dataOfA, a)
  // The subscriber is told of commits that the standby will not have.
  const toldBefore = told.size
  await until(() => told.size > toldBefore + 4)
  await first.killNine()
  await serve(t, dataOfB, b)
  await pause(1_500)
  for (const writer of writers) await writer.stop()

  const rows = new Map<number, number>()
  for await (const { id, writes } of db.scan<{ id: number; writes: number }>('SCAN * FROM item')) {
    rows.set(id, writes)
  }
  const outcomes = { kept: 0, lost: 0, unknown: 0 }
  for (const { acknowledged, unknown } of writers) {
    outcomes.unknown += unknown.size
    for (const [id, asOf] of acknowledged) {
      if (rows.has(id)) outcomes.kept += 1
      else {
        outcomes.lost += 1
        const read = db.query('GET * FROM item WHERE id = $1', [id], { asOf })
        await assert.rejects(read, { code: 'history_replaced' }, `${id} of ${asOf}`)
      }
    }
  }
  t.diagnostic(`${JSON.stringify(outcomes)}, ${writers.flatMap(({ codes }) => [...codes])}`)
  assert.ok(outcomes.kept > 0 && outcomes.lost > 0, JSON.stringify(outcomes))
  // Each row was inserted with one more in the counter, so that a write that was applied twice would show in it.
  const {
    rows: [total],
  } = await db.query<{ n: number }>("GET n FROM total WHERE name = 'rows'")
  assert.equal(total?.n, rows.size)

  // The subscriber has gone over, and has started again with the rows that there are.
  const last = await db.query('INSERT INTO item (id, writes) VALUES (-1, 1)')
  assert.ok(last.commitTimestamp)
  await until(() => told.has(-1))
  assert.ok(resets.includes('history_replaced'), resets.join())
  assert.deepEqual([...told].sort(), [...rows.keys(), -1].sort())
  db.close()
  assert.equal(await ended, 'client_closed')
})
