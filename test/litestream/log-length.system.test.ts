// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../client-sdk/client.ts'
import { endMisused, scriptFlags } from '../../tools/script-flags.ts'
import { ServerProcess } from '../server/server-process.ts'
import { testFolder } from '../test-folder.ts'
import { Litestream, litestreamSkipReason } from './litestream.ts'

const HELP = `node test/litestream/log-length.system.test.ts [--seconds 600] [--pages 10000]

Whether SQLite's log stays short while eight writers write and Litestream reads it: with a replica that is a file, with
one that never answers, and with a Litestream that is stopped for a while and goes on. It fails by its exit code.

  --seconds  of writing in all (45), or LITESTREAM_SECONDS in the environment
  --pages    at which Litestream restarts the log, its max-checkpoint-page-count (500; its default is 10000)`

const { values: given } = scriptFlags(HELP, {
  seconds: { type: 'string' },
  pages: { type: 'string' },
})
const SECONDS = Number(given.seconds ?? process.env.LITESTREAM_SECONDS ?? 45)
const PAGES = Number(given.pages ?? 500)
if (!(SECONDS > 0 && PAGES > 0)) endMisused(HELP, '--seconds and --pages are numbers.')

const MIB = 2 ** 20
const WRITERS = 8
const ROWS = 100_000
/** Litestream restarts the log from a tenth on when it can, and at so much in any case; it looks once a second. */
const [RESTART_BYTES_MIN, RESTART_BYTES] = [(PAGES / 10) * 8_192, PAGES * 8_192]

/** What may be written until Litestream looks again and is done with the log. */
const LATE_BYTES = 48 * MIB

/** Eight writers, and what the log does meanwhile. */
class Writing {
  readonly data: string
  readonly #url: string
  #isStopped = false
  readonly #writers: Promise<unknown>
  commits = 0
  logBytesMax = 0

  constructor(data: string, url: string) {
    this.data = data
    this.#url = url
    this.#writers = Promise.all(Array.from({ length: WRITERS }, () => this.#write()))
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#writers
  }

  async #write(): Promise<void> {
    const db = connect({ url: this.#url })
    const sql =
      'INSERT INTO item (id, text) VALUES (:id, :text) ON CONFLICT DO UPDATE SET text = :text'
    while (!this.#isStopped) {
      const id = Math.floor(Math.random() * ROWS)
      await db.query(sql, { id, text: 'x'.repeat(3_000) })
      this.commits += 1
    }
    await db.close()
  }

  /** How often the log began again within so many seconds. Its length is that of the file, which is not cut. */
  async restartsWithin(seconds: number): Promise<number> {
    const { commits } = this
    let [restarts, sequence] = [0, this.#sequence]
    const endsAt = performance.now() + seconds * 1_000
    while (performance.now() < endsAt) {
      await sleep(200)
      if (this.#sequence !== sequence) restarts += 1
      sequence = this.#sequence
      this.logBytesMax = Math.max(this.logBytesMax, this.logBytes)
    }
    assert.ok(this.commits > commits, 'writers go on')
    return restarts
  }

  get logBytes(): number {
    return statSync(this.#log).size
  }

  /** What Litestream has copied of the log and not removed yet. */
  get copiedBytes(): number {
    const folder = join(this.data, '.cells.db-litestream')
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    const sizes = files.map(({ parentPath, name }) => {
      return statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0
    })
    return sizes.reduce((sum, size) => sum + size, 0)
  }

  /** The header counts how often the log has begun again (sqlite.org/fileformat2.html). */
  get #sequence(): number {
    return readFileSync(this.#log).readUInt32BE(12)
  }

  get #log(): string {
    return join(this.data, 'cells.db-wal')
  }
}

async function begin(t: TestContext, replica: (folder: string) => string) {
  const folder = await testFolder(t, 'log-length')
  const data = join(folder, 'data')
  const server = await ServerProcess.start(data)
  t.after(() => server.killNine())
  const db = connect({ url: server.url })
  await db.query('CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT)')
  await db.close()
  const pages = { 'max-checkpoint-page-count': PAGES, 'min-checkpoint-page-count': PAGES / 10 }
  const litestream = await Litestream.start(data, replica(folder), pages)
  t.after(() => litestream.killNine())
  await litestream.hasSaid('new generation')
  const writing = new Writing(data, server.url)
  t.after(() => writing.stop())
  return { litestream, writing }
}

/** Stops it where it does not hold the lock of writers, which it has for moments: then commits would wait for it. */
async function standStill(litestream: Litestream, writing: Writing): Promise<void> {
  for (;;) {
    litestream.signal('SIGSTOP')
    const { commits } = writing
    await sleep(1_000)
    // Each writer may have had one under way.
    if (writing.commits > commits + WRITERS) return
    litestream.signal('SIGCONT')
    await sleep(1_000)
  }
}

function said({ commits, logBytesMax, copiedBytes }: Writing, restarts: number): string {
  const mib = (bytes: number) => `${Math.round(bytes / MIB)} MiB`
  return `${commits} commits; cells.db-wal at most ${mib(logBytesMax)}, begun again ${restarts} times; Litestream holds ${mib(copiedBytes)}`
}

const options = { skip: litestreamSkipReason(), timeout: 60_000 + SECONDS * 2_000 }

test('the log stays short next to Litestream', options, async (t) => {
  const { writing } = await begin(t, (folder) => `file://${join(folder, 'replica')}`)
  const restarts = await writing.restartsWithin(SECONDS / 3)
  await writing.stop()
  t.diagnostic(said(writing, restarts))
  assert.ok(restarts >= 2, `${restarts} restarts`)
  assert.ok(writing.logBytesMax < RESTART_BYTES + LATE_BYTES, `${writing.logBytesMax} bytes`)
})

test(
  'a replica that never answers leaves the log short, and what it lacks is kept beside',
  options,
  async (t) => {
    const silent = createServer(() => {})
    t.after(() => void silent.close())
    await once(silent.listen(0, '127.0.0.1'), 'listening')
    const { port } = silent.address() as AddressInfo
    const { writing } = await begin(t, () => `s3://bucket.localhost:${port}/percolite`)
    const restarts = await writing.restartsWithin(SECONDS / 3)
    await writing.stop()
    t.diagnostic(said(writing, restarts))
    assert.ok(restarts >= 2, `${restarts} restarts`)
    assert.ok(writing.logBytesMax < RESTART_BYTES + LATE_BYTES, `${writing.logBytesMax} bytes`)
    assert.ok(writing.copiedBytes > restarts * RESTART_BYTES_MIN, `${writing.copiedBytes} bytes`)
  },
)

test(
  'a Litestream that stands still lets the log grow, and goes on where it was',
  options,
  async (t) => {
    const { litestream, writing } = await begin(t, (folder) => `file://${join(folder, 'replica')}`)
    await writing.restartsWithin(2)
    await standStill(litestream, writing)
    const before = writing.logBytes
    assert.equal(await writing.restartsWithin(SECONDS / 6), 0, 'it holds the log')
    t.diagnostic(`stopped for ${SECONDS / 6} s: from ${before} to ${writing.logBytes} bytes`)
    assert.ok(writing.logBytes > before)
    litestream.signal('SIGCONT')
    const restarts = await writing.restartsWithin(Math.max(5, SECONDS / 6))
    await writing.stop()
    t.diagnostic(said(writing, restarts))
    assert.ok(restarts >= 1, `${restarts} restarts`)
    const generations = litestream.said.split('new generation').length - 1
    assert.equal(generations, 1, 'nothing has to be copied from the beginning')
  },
)
