// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { endMisused, scriptFlags } from '../../tools/script-flags.ts'
import { percolite } from '../cli/percolite.ts'
import { SeededRandomness } from '../seeded-randomness.ts'
import { ServerProcess } from '../server/server-process.ts'
import { testFolder } from '../test-folder.ts'
import { type Acknowledged, Bank, rowsOf, sent, wholeTransfers } from './bank.ts'
import { Litestream, litestreamSkipReason, restoreReplica } from './litestream.ts'

const HELP = `node test/litestream/kill-and-restore.system.test.ts [--times 20] [--seed 7]

A server under eight writers and Litestream next to it are killed, and what Litestream has kept is restored and compared
with what was acknowledged; the next server goes on from there. It fails by its exit code.

  --times  how often (3), or LITESTREAM_TIMES in the environment
  --seed   of the transfers and the kills (LITESTREAM_SEED)`

const { values: given } = scriptFlags(HELP, {
  times: { type: 'string' },
  seed: { type: 'string' },
})
const TIMES = Number(given.times ?? process.env.LITESTREAM_TIMES ?? 3)
const SEED = Number(given.seed ?? process.env.LITESTREAM_SEED ?? Date.now() % 1_000_000)
if (!(TIMES > 0) || !Number.isSafeInteger(SEED)) {
  endMisused(HELP, '--times and --seed are numbers.')
}

/** Litestream looks at the log once a second, and sends what is new once a second (deploy/litestream.yml). */
const INTERVALS_MS = 2_000
/** For the work itself, on a machine that does other things as well. */
const WORK_MS = 1_500

/** The end of one server and its Litestream. */
type Killed = {
  readonly bank: Bank
  /** When Litestream died. */
  readonly diedAt: number
  /** The dropped table was in the replica by then. */
  readonly beforeDrop: Date
}

class Cycles {
  readonly #t: TestContext
  readonly #folder: string
  readonly #replica: string
  readonly #random = new SeededRandomness(SEED)
  /** Transfers that the present database has from earlier ones. */
  #kept: ReadonlySet<string> = new Set()
  readonly totals = { acknowledged: 0, lost: 0, refused: 0, oldestLostMs: 0, gaps: 0 }
  /** By how much an earlier moment was restored in this cycle. */
  #toleratedMs = 0

  constructor(t: TestContext, folder: string) {
    this.#t = t
    this.#folder = folder
    this.#replica = `file://${join(folder, 'replica')}`
  }

  async run(cycle: number): Promise<void> {
    this.#toleratedMs = 0
    const killed = await this.#serveAndKill(cycle)
    const upTo = await this.#restoreNewest(this.#dataOf(cycle))
    const server = await this.#start(this.#dataOf(cycle))
    this.#kept = await this.#compare(server.url, killed, upTo)
    await this.#requireLostRefused(server.url, killed.bank, upTo)
    assert.equal(await server.stop(), 0)
    await this.#requireDroppedTable(cycle, killed)
  }

  #dataOf(cycle: number): string {
    return join(this.#folder, `data-${cycle}`)
  }

  async #start(data: string): Promise<ServerProcess> {
    const server = await ServerProcess.start(data)
    this.#t.after(() => server.killNine())
    return server
  }

  /** Writers all the time; a table is dropped; one or both are killed, one after the other or at once. */
  async #serveAndKill(cycle: number): Promise<Killed> {
    const data = this.#dataOf(cycle - 1)
    const server = await this.#start(data)
    const litestream = await Litestream.start(data, this.#replica)
    this.#t.after(() => litestream.killNine())
    const { url } = server
    if (cycle === 1) await Bank.create(url)
    const bank = new Bank(url, this.#random)
    bank.write(String(cycle))
    await run(url, `CREATE TABLE dropped${cycle} (id INTEGER PRIMARY KEY)`)
    await run(url, `INSERT INTO dropped${cycle} (id) VALUES (1), (2), (3)`)
    await litestream.hasSaid('snapshot written')
    await sleep(INTERVALS_MS + WORK_MS)
    const beforeDrop = new Date()
    await run(url, `DROP TABLE dropped${cycle}`)
    // The replica goes on to a moment after that one, or it could not be asked for.
    await sleep(INTERVALS_MS + WORK_MS + this.#random.below(2_500))

    const killers = [() => server.killNine(), () => litestream.killNine()]
    const [first, second] = this.#random.below(2) === 0 ? killers : killers.toReversed()
    const pauseMs = [0, 0, this.#random.below(1_500)][this.#random.below(3)] ?? 0
    const ends: Array<Promise<unknown>> = [first?.() ?? Promise.resolve()]
    let diedAt = performance.now()
    await sleep(pauseMs)
    ends.push(second?.() ?? Promise.resolve())
    if (second === killers[1]) diedAt = performance.now()
    await Promise.all([...ends, bank.ended()])
    return { bank, diedAt, beforeDrop }
  }

  /**
   * Now and then Litestream keeps a log with a gap in it, and its newest moment is no database (docs/backup.md). That
   * is found out, and an earlier moment is whole.
   */
  async #restoreNewest(data: string): Promise<number> {
    const diedAt = Date.now()
    for (let earlierMs = 0; ; earlierMs += 1_500) {
      try {
        const moment = earlierMs === 0 ? undefined : new Date(diedAt - earlierMs)
        return await this.#restore(data, moment)
      } catch (error) {
        const text = String((error as { stderr?: string }).stderr ?? error)
        this.#t.diagnostic(`${earlierMs} ms before the end: ${text}`)
        if (earlierMs === 0) this.totals.gaps += 1
        if (earlierMs >= 6_000 || !/malformed|problems/.test(text)) throw error
        this.#toleratedMs = earlierMs + 1_500
        await rm(`${data}.db`, { force: true })
      }
    }
  }

  /** The stamp up to which the database in `data` goes. */
  async #restore(data: string, moment?: Date): Promise<number> {
    const copy = `${data}.db`
    await restoreReplica(this.#replica, copy, moment)
    const args = ['restore', '--from-file', copy, '--data', data, '--json']
    const { code, output, errors } = await percolite(args)
    assert.equal(code, 0, errors)
    return JSON.parse(output).timestamp
  }

  /** Returns what is there now. */
  async #compare(url: string, { bank, diedAt }: Killed, upTo: number): Promise<Set<string>> {
    const { totals } = this
    const there = new Set(await wholeTransfers(url))
    for (const id of this.#kept) assert.ok(there.has(id), `${id} was there before`)
    for (const { id, timestamp, atMs } of bank.acknowledged) {
      const ageMs = diedAt - atMs
      assert.equal(there.has(id), timestamp <= upTo, `${id} of ${timestamp}, restored to ${upTo}`)
      if (there.has(id)) continue
      assert.ok(
        ageMs < INTERVALS_MS + WORK_MS + this.#toleratedMs,
        `${id} is lost, ${ageMs} ms old`,
      )
      if (this.#toleratedMs === 0) totals.oldestLostMs = Math.max(totals.oldestLostMs, ageMs)
    }
    const known = new Set([
      ...this.#kept,
      ...bank.inDoubt,
      ...bank.acknowledged.map(({ id }) => id),
    ])
    assert.deepEqual(
      [...there].filter((id) => !known.has(id)),
      [],
      'nothing that nobody wrote',
    )
    const checked = (await (await fetch(`${url}/v1/check`)).json()) as { sound: boolean }
    assert.equal(checked.sound, true, JSON.stringify(checked))
    totals.acknowledged += bank.acknowledged.length
    return there
  }

  /** A bookmark of what is lost is refused, with the name of its history and without. */
  async #requireLostRefused(url: string, { acknowledged }: Bank, upTo: number): Promise<void> {
    const lost = acknowledged.filter(({ timestamp }) => timestamp > upTo)
    this.totals.lost += lost.length
    for (const one of lost) {
      for (const history of [one.history, undefined]) {
        assert.deepEqual(await readAt(url, one, history), [410, 'history_replaced'])
      }
      this.totals.refused += 1
    }
    const kept = acknowledged.findLast(({ timestamp }) => timestamp <= upTo)
    assert.ok(kept !== undefined, 'something was kept')
    assert.deepEqual(await readAt(url, kept, undefined), [200, undefined])
  }

  /** Of the moment before it was dropped. */
  async #requireDroppedTable(cycle: number, { beforeDrop }: Killed): Promise<void> {
    const data = join(this.#folder, `earlier-${cycle}`)
    await this.#restore(data, beforeDrop)
    const server = await this.#start(data)
    const rows = await rowsOf(server.url, `SCAN id FROM dropped${cycle} USE PRIMARY KEY`)
    assert.deepEqual(rows, [{ id: 1 }, { id: 2 }, { id: 3 }])
    await wholeTransfers(server.url)
    assert.equal(await server.stop(), 0)
  }
}

/** A statement that has to succeed, though writers change definitions' neighbours. */
async function run(url: string, sql: string): Promise<void> {
  const { status, code } = await sent(url, [{ sql }])
  assert.equal(status, 200, `${sql}: ${code}`)
}

async function readAt(url: string, { timestamp }: Acknowledged, history: string | undefined) {
  const sql = `GET balance FROM account AS OF ${timestamp} WHERE id = 1`
  const answer = await fetch(`${url}/v1/query`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(history === undefined ? {} : { 'percolite-history': history }),
    },
    body: JSON.stringify({ sql }),
  })
  const { code } = (await answer.json()) as { code?: string }
  return [answer.status, code]
}

const skip = litestreamSkipReason()
const options = { skip, timeout: 60_000 + TIMES * 120_000 }

test(
  `kill -9 and restore with Litestream, ${TIMES} times (LITESTREAM_SEED=${SEED})`,
  options,
  async (t) => {
    const cycles = new Cycles(t, await testFolder(t, 'litestream'))
    const { totals } = cycles
    for (let cycle = 1; cycle <= TIMES; cycle += 1) {
      await cycles.run(cycle)
      t.diagnostic(`${cycle}: ${JSON.stringify(totals)}`)
    }
    assert.ok(totals.refused > 0, 'nothing was ever lost')
    assert.ok(totals.gaps <= Math.max(1, TIMES / 10), `${totals.gaps} replicas with a gap`)
    t.diagnostic(
      `${TIMES} kills: ${totals.acknowledged} acknowledged. ${totals.lost} were lost, all within ` +
        `${Math.round(totals.oldestLostMs)} ms before Litestream died, and their bookmarks refused. ` +
        `Each of ${TIMES} dropped tables came back. ${totals.gaps} newest moments were no database.`,
    )
  },
)
