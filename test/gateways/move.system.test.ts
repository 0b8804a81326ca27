// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  ENGINES,
  missingEngine,
  type SharedEngine,
  startEngine,
} from '../../bench/engines/shared-engine.ts'
import { freePorts } from '../../bench/servers/child-server.ts'
import { connect, type Database } from '../../client-sdk/client.ts'
import { ServerProcess } from '../server/server-process.ts'
import { testFolder } from '../test-folder.ts'

// The database of a running server is moved into a store over the network, while clients write to it and follow it.

const MAIN = fileURLToPath(new URL('../../cli/cli.ts', import.meta.url))
const ROWS = 300
const WATCHED = 'SCAN * FROM account USE PRIMARY KEY'

type Account = { readonly id: string; readonly balance: number }

for (const name of ENGINES) {
  test(`a database is moved to ${name} under writers and a subscriber, who go on there`, {
    skip: missingEngine(name),
  }, async (t) => {
    const engine = await startEngine(name)
    t.after(() => engine.close())
    const { source, targetUrl, db } = await startSource(t, engine)
    const before = await db.query<Account>(WATCHED)
    const writer = new Writer(db)
    const watcher = new Watcher(db, before.readTimestamp)
    await writer.acknowledged(20)
    const numbered = await ticket(db)

    const moved = await percolite(engine, [
      ...['move', '--from', source.url, '--to', engine.moveTo, '--target-url', targetUrl],
      ...['--follow', '--json'],
    ])
    assert.equal(moved.code, 0, moved.errors)
    const report = JSON.parse(moved.output)
    assert.ok(report.spaces.length >= 2)

    const bookmark = writer.newest
    const target = await startTarget(t, engine, targetUrl)
    await writer.acknowledged(writer.count + 20)
    await writer.stop()
    await watcher.until(writer.newest)
    assert.deepEqual(watcher.timestamps, writer.timestamps, 'each commit is heard of, once')

    const there = connect({ url: target.url })
    t.after(() => there.close())
    const { rows } = await there.query<Account>(WATCHED)
    assert.equal(rows.length, ROWS)
    const { balance } = rows.find(({ id }) => id === Writer.ROW) as Account
    assert.equal(balance, writer.count, 'no acknowledged commit is missing')
    assert.ok((await ticket(there)) > numbered, 'the counter of an identity has gone along')
    const past = await there.query<Account>(WATCHED, [], { asOf: before.readTimestamp })
    assert.deepEqual(past.rows, before.rows)
    const marked = await there.query<Account>(WATCHED, [], { asOf: bookmark })
    assert.equal(marked.rows.find(({ id }) => id === Writer.ROW)?.balance, writer.countAt(bookmark))

    const body = JSON.stringify({ sql: "INSERT INTO account (id, balance) VALUES ('late', 1)" })
    const headers = { 'content-type': 'application/json' }
    const late = await fetch(`${source.url}/v1/query`, { method: 'POST', headers, body })
    assert.equal(late.status, 421)
    const { code, url } = (await late.json()) as { code: string; url: string }
    assert.deepEqual({ code, url }, { code: 'moved', url: targetUrl })
    const checked = await fetch(`${target.url}/v1/check`)
    const { sound } = (await checked.json()) as { sound: boolean }
    assert.equal(sound, true)
  })
}

async function startSource(t: TestContext, engine: SharedEngine) {
  const data = await testFolder(t, 'move')
  const source = await ServerProcess.start(data, ['--allow-move'], { env: engine.env })
  t.after(() => source.killNine())
  const [port] = await freePorts(1)
  const db = connect({ url: source.url })
  t.after(() => db.close())
  await db.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)')
  await db.query('CREATE INDEX by_balance ON account (balance)')
  await db.query(
    'CREATE TABLE ticket (id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY, owner TEXT)',
  )
  const ids = Array.from({ length: ROWS }, (_, index) => `id${String(index).padStart(4, '0')}`)
  await db.execute(
    ids.map((id) => ({
      sql: 'INSERT INTO account (id, balance) VALUES ($1, 0)',
      params: [id],
    })),
  )
  return { source, targetUrl: `http://127.0.0.1:${port}`, db }
}

/** The number of a new row. */
async function ticket(db: Database): Promise<number> {
  const sql = "INSERT INTO ticket (owner) VALUES ('bob') RETURNING id"
  return (await db.query<{ readonly id: number }>(sql)).rows[0]?.id ?? 0
}

async function startTarget(t: TestContext, engine: SharedEngine, url: string) {
  const { port } = new URL(url)
  const flags = [...engine.flags, '--port', port]
  const target = await ServerProcess.start(undefined, flags, { env: engine.env })
  t.after(() => target.killNine())
  assert.equal(target.url, url)
  return target
}

/** Counts a row up, one commit after the other, wherever its client is sent. */
class Writer {
  static readonly ROW = 'id0007'
  readonly timestamps: number[] = []
  readonly #db: Database
  readonly #running: Promise<void>
  #isOver = false

  constructor(db: Database) {
    this.#db = db
    this.#running = this.#run()
  }

  get count(): number {
    return this.timestamps.length
  }

  get newest(): number {
    return this.timestamps.at(-1) ?? 0
  }

  countAt(timestamp: number): number {
    return this.timestamps.filter((one) => one <= timestamp).length
  }

  async acknowledged(count: number): Promise<void> {
    while (this.count < count) await Promise.race([pause(), this.#running])
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      try {
        const sql = 'SET balance = balance + 1 ON account WHERE id = $1'
        const { commitTimestamp } = await this.#db.query(sql, [Writer.ROW])
        this.timestamps.push(commitTimestamp as number)
      } catch (error) {
        // Nobody is there between the end of the one and the start of the other.
        const { code } = error as { code: string }
        if (code !== 'moving' && code !== 'connection_failed') throw error
        await pause()
      }
    }
  }
}

class Watcher {
  readonly timestamps: number[] = []
  readonly #running: Promise<void>

  constructor(db: Database, since: number) {
    this.#running = this.#run(db, since)
  }

  async until(timestamp: number): Promise<void> {
    while ((this.timestamps.at(-1) ?? 0) < timestamp) await Promise.race([pause(), this.#running])
  }

  async #run(db: Database, since: number): Promise<void> {
    for await (const event of db.subscribe<Account>(WATCHED, [], { since })) {
      if (event.kind === 'commit') this.timestamps.push(event.timestamp)
    }
  }
}

async function percolite(engine: SharedEngine, args: readonly string[]) {
  const env = { ...process.env, ...engine.env }
  const child = spawn(process.execPath, [MAIN, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    output += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    errors += chunk
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, output, errors }
}

async function pause(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20))
}
