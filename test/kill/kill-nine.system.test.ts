// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { connect, type Database } from '../../client-sdk/client.ts'
import { type ConsistencyReport, checkDataDirectory } from '../../storage/operations/operations.ts'
import { endMisused, scriptFlags } from '../../tools/script-flags.ts'
import { KillWatchers, OBSERVERS_FLAGS } from '../feed/kill-watchers.ts'
import { SeededRandomness } from '../seeded-randomness.ts'
import { ServerProcess } from '../server/server-process.ts'
import { testFolder } from '../test-folder.ts'
import {
  ACCOUNTS,
  Client,
  createTables,
  Definer,
  indexStates,
  Ledger,
  OPENING,
} from './kill-workload.ts'
import { startAndKill } from './start-and-kill.ts'

/**
 * `kill -9` in the middle of 64 clients' transfers, several times on one data directory; in a third of
 * the cycles the server is killed again while it starts, and in another third directly after.
 * A table beside them has subscribers and observers, who have to get everything all the same
 * (`feed/kill-watchers.ts`).
 * Each mode of committing has a run of its own; in the last one every start draws another, and that is the one of
 * `npm test`.
 */
const HELP = `npm run test:kill -- [--cycles 1] [--commit two-phase] [--seed 7]

kill -9 in the middle of 64 clients' transfers, several times on one data directory. Prints what was acknowledged, lost
and applied partially, and fails by its exit code.

  --cycles  how often the server is killed under load (1), or KILL_CYCLES in the environment
  --commit  one-phase, two-phase, or changing for another at each start; without it, a run of each, or only the last
            one where the server is killed once (KILL_COMMIT)
  --seed    of the random moments (KILL_SEED)`

const { values: given } = scriptFlags(HELP, {
  cycles: { type: 'string' },
  commit: { type: 'string' },
  seed: { type: 'string' },
})
const CLIENTS = 64
const CYCLES = Number(given.cycles ?? process.env.KILL_CYCLES ?? 1)
const MODES = ['one-phase', 'two-phase', 'changing']
const ASKED_MODE = given.commit ?? process.env.KILL_COMMIT
const SEED = Number(given.seed ?? process.env.KILL_SEED ?? Date.now() % 1_000_000)
if (!(CYCLES > 0) || !Number.isSafeInteger(SEED))
  endMisused(HELP, '--cycles and --seed are numbers.')
if (ASKED_MODE !== undefined && !MODES.includes(ASKED_MODE)) {
  endMisused(HELP, `There is no --commit ${ASKED_MODE}; there are ${MODES.join(', ')}.`)
}
/** How often every row of all cycles is compared, and not only those of the last cycle. */
const FULL_EVERY = 10

/** Compares the rows that begin with `prefix` with what the clients were told; answers the lost ones. */
async function compare(db: Database, ledger: Ledger, prefix: string) {
  const present = new Set<string>()
  const rows =
    prefix === ''
      ? db.scan<{ id: string }>('SCAN id FROM transfer')
      : db.scan<{ id: string }>('SCAN id FROM transfer WHERE id LIKE :like', { like: `${prefix}%` })
  for await (const { id } of rows) present.add(id)
  const lost: string[] = []
  const undead: string[] = []
  for (const [id, told] of ledger.rows) {
    if (!id.startsWith(prefix)) continue
    if (told === 'present' && !present.has(id)) lost.push(id)
    if (told === 'absent' && present.has(id)) undead.push(id)
  }
  const strangers = [...present].filter((id) => !ledger.rows.has(id))
  return { lost, undead, strangers }
}

/** What the server says of each commit that got no answer has to be what is there. */
async function settleDoubts(url: string, ledger: Ledger): Promise<{ committed: number }> {
  let committed = 0
  for (const [transaction, row] of ledger.inDoubt) {
    const answer = await fetch(`${url}/v1/transactions/${transaction}`)
    const { status } = (await answer.json()) as { status: string }
    assert.ok(status === 'committed' || status === 'rolledBack', `${transaction}: ${status}`)
    if (status === 'committed') committed += 1
    ledger.rows.set(row, status === 'committed' ? 'present' : 'absent')
  }
  ledger.inDoubt.clear()
  return { committed }
}

async function assertWholeTransfers(db: Database): Promise<void> {
  const { rows } = await db.query<{ balance: number }>('SCAN balance FROM account')
  const sum = rows.reduce((total, { balance }) => total + balance, 0)
  assert.equal(sum, ACCOUNTS * OPENING, 'no transfer is applied partially')
}

/** Every cell, and every index with its table; an index that is being built has no wrong entry. */
async function assertSound(url: string): Promise<{ entries: number }> {
  const answer = await fetch(`${url}/v1/check`)
  const { problems, rows, tables } = (await answer.json()) as Pick<
    ConsistencyReport,
    'problems' | 'rows' | 'tables'
  >
  assert.deepEqual(problems, [])
  assert.ok(rows > ACCOUNTS)
  const indexes = tables.flatMap((table) => table.indexes)
  const ready = indexes.filter(({ state }) => state === 'ready')
  assert.ok(ready.length >= 2)
  assert.deepEqual([...new Set(ready.map(({ entries }) => entries))].length, 1, 'one for each row')
  return { entries: indexes.reduce((sum, { entries }) => sum + entries, 0) }
}

/** What was being built when the server was killed is built to its end. */
async function assertBuilt(db: Database): Promise<void> {
  const start = performance.now()
  for (;;) {
    const states = await indexStates(db)
    assert.ok(![...states.values()].includes('failed'), JSON.stringify([...states]))
    if (![...states.values()].includes('building')) return
    assert.ok(performance.now() - start < 30_000, JSON.stringify([...states]))
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Milliseconds until no lock of the ended process stands any more. */
async function locksGone(url: string): Promise<number> {
  const start = performance.now()
  for (;;) {
    const answer = await fetch(`${url}/v1/locks`)
    const { locks } = (await answer.json()) as { locks: unknown[] }
    const elapsed = performance.now() - start
    if (locks.length === 0) return elapsed
    assert.ok(elapsed < 5_000, `${locks.length} locks stand 5 s after the start`)
  }
}

async function killOverAndOver(t: TestContext, mode: string): Promise<void> {
  const dataDirectory = await testFolder(t, 'kill')
  const random = new SeededRandomness(SEED)
  const flags = () => {
    const drawn = MODES[random.below(2)] as string
    const commit = mode === 'changing' ? drawn : mode
    // With `auto` the redo log would hardly be used beside so many commits of other kinds.
    const redoLog = ['auto', 'always'][random.below(2)] as string
    return ['--commit', commit, '--redo-log', redoLog, ...OBSERVERS_FLAGS]
  }
  const ledger = new Ledger()
  const recoveries: number[] = []
  const totals = { kills: 0, inDoubt: 0, committedInDoubt: 0, buildsHit: 0, entries: 0 }
  let server = await ServerProcess.start(dataDirectory, flags())
  t.after(() => server.killNine())
  await createTables(connect({ url: server.url }), ledger)
  const watchers = await KillWatchers.create(t, server.url, random, mode === 'changing')

  for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
    const before = ledger.acknowledged
    const { url } = server
    const db = connect({ url })
    const clients = Array.from({ length: CLIENTS }, (_, number) =>
      new Client({ db, url }, { name: `${cycle}-${number}`, random, ledger }).runUntilKilled(),
    )
    const definer = new Definer(db)
    const defining = definer.runUntilKilled()
    watchers.begin()
    const waitsForBuild = random.below(3) > 0
    const killAt = performance.now() + 300 + random.below(1_000)
    const isDue = () => performance.now() >= killAt && ledger.acknowledged > before
    while (!isDue() || (waitsForBuild && !definer.isBuilding)) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await server.killNine()
    await Promise.all([...clients, defining, watchers.killed()])
    totals.kills += 1
    const variant = random.below(3)
    if (variant === 0) {
      await startAndKill(dataDirectory, flags(), 100 + random.below(500))
      totals.kills += 1
    }
    let restart = performance.now()
    server = await ServerProcess.start(dataDirectory, flags())
    if (variant === 1) {
      await server.killNine()
      totals.kills += 1
      restart = performance.now()
      server = await ServerProcess.start(dataDirectory, flags())
    }
    recoveries.push(performance.now() - restart)
    const after = connect({ url: server.url })
    const states = [...(await indexStates(after)).values()]
    if (states.includes('building')) totals.buildsHit += 1
    const locksMs = await locksGone(server.url)
    totals.inDoubt += ledger.inDoubt.size
    totals.committedInDoubt += (await settleDoubts(server.url, ledger)).committed
    await assertWholeTransfers(after)
    const prefix = cycle % FULL_EVERY === 0 || cycle === CYCLES ? '' : `${cycle}-`
    const { lost, undead, strangers } = await compare(after, ledger, prefix)
    assert.deepEqual(lost, [], 'every acknowledged insert is there')
    assert.deepEqual(undead, [], 'no refused insert and no acknowledged delete is undone')
    assert.deepEqual(strangers, [], 'nothing is there that nobody wrote')
    totals.entries += (await assertSound(server.url)).entries
    await assertBuilt(after)
    await watchers.check(server.url)
    totals.entries += (await assertSound(server.url)).entries
    t.diagnostic(
      `cycle ${cycle}: ${ledger.acknowledged - before} acknowledged, ` +
        `${ledger.withoutAnswer} without an answer so far, ` +
        `ready after ${Math.round(recoveries.at(-1) ?? 0)} ms, last lock gone ${Math.round(locksMs)} ms later`,
    )
  }
  assert.equal(await server.stop(), 0)
  assert.deepEqual((await checkDataDirectory(dataDirectory)).problems, [])
  const sorted = recoveries.toSorted((a, b) => a - b)
  t.diagnostic(
    `${totals.kills} kills in ${CYCLES} cycles: ${ledger.acknowledged} acknowledged, 0 lost, 0 partial; ` +
      `${ledger.withoutAnswer} requests without an answer, and ${totals.inDoubt} commits that were asked for: ` +
      `${totals.committedInDoubt} were committed; ready after ${Math.round(sorted[sorted.length >> 1] ?? 0)} ms ` +
      `(median), ${Math.round(sorted.at(-1) ?? 0)} ms (longest); ${totals.buildsHit} indexes were being built, ` +
      `${totals.entries} index entries checked, 0 wrong; ${ledger.slotsTaken} inserts refused for a unique value`,
  )
  t.diagnostic(watchers.said)
}

for (const mode of ASKED_MODE === undefined ? MODES.slice(CYCLES > 1 ? 0 : -1) : [ASKED_MODE]) {
  test(`kill -9 under ${CLIENTS} clients, ${CYCLES} in a row, --commit ${mode} (KILL_SEED=${SEED})`, (t) =>
    killOverAndOver(t, mode))
}
