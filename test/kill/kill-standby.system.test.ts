// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { checkDataDirectory } from '../../storage/operations/operations.ts'
import { endMisused, scriptFlags } from '../../tools/script-flags.ts'
import { SeededRandomness } from '../seeded-randomness.ts'
import { type QueryClient, until } from '../standby/query-client.ts'
import {
  checkOutcomes,
  checkShown,
  checkWritten,
  DEFINITIONS,
  notesAt,
  readUntil,
  SecondCopyLedger,
  WRITERS,
  type Written,
  writeUntil,
} from './second-copy-ledger.ts'
import { SecondCopyPair } from './second-copy-pair.ts'
import { NoteSubscriber } from './second-copy-subscriber.ts'
import { startAndKill } from './start-and-kill.ts'

const HELP = `node test/kill/kill-standby.system.test.ts [--cycles 1] [--seed 7]

kill -9 of a primary under ${WRITERS} writers, with --second-copy required: the standby is promoted, and the folder of
the old primary follows it. The same of the standby, also while it copies. What was acknowledged, or shown to a reader,
has to be there. Fails by its exit code.

  --cycles  how often each of them is killed (1), or STANDBY_CYCLES in the environment
  --seed    of the random moments (STANDBY_SEED)`

const { values: given } = scriptFlags(HELP, {
  cycles: { type: 'string' },
  seed: { type: 'string' },
})
const CYCLES = Number(given.cycles ?? process.env.STANDBY_CYCLES ?? 1)
const SEED = Number(given.seed ?? process.env.STANDBY_SEED ?? Date.now() % 1_000_000)
if (!(CYCLES > 0) || !Number.isSafeInteger(SEED)) {
  endMisused(HELP, '--cycles and --seed are numbers.')
}
const TIMEOUT = { timeout: 180_000 + CYCLES * 120_000 }
/** Of those that were acknowledged, how many of a cycle are sent again or looked up. */
const SENT_AGAIN = 40

function workAt(at: QueryClient, ledger: SecondCopyLedger, random: SeededRandomness) {
  const ending = new AbortController()
  const { signal } = ending
  const writers = Array.from({ length: WRITERS }, (_, writer) =>
    writeUntil(at, { writer, random, ledger, signal }),
  )
  const working = Promise.all([...writers, readUntil(at, ledger, signal)])
  return {
    ended: working,
    end: async () => {
      ending.abort()
      await working
    },
  }
}

/** Until there is something that could be lost. */
async function worked(ledger: SecondCopyLedger, before: number): Promise<void> {
  await until(() => ledger.acknowledged >= before + WRITERS, 'what is acknowledged')
}

async function assertSound(at: QueryClient): Promise<void> {
  const { status, body } = await at.send('/v1/check')
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(body.problems, [])
}

async function assertSoundFolders(pair: SecondCopyPair): Promise<void> {
  for (const { server, folder } of [pair.standby, pair.primary]) {
    assert.equal(await server?.stop(), 0)
    assert.deepEqual((await checkDataDirectory(folder)).problems, [])
  }
}

/** A token that may read, and one that is revoked before the kill, as each is answered afterwards. */
async function tokensOf(at: QueryClient, cycle: number) {
  const make = async (name: string) =>
    (await at.rows(`CREATE TOKEN ${name} ROLE admin EXPIRES IN 9 DAYS`))[0].token as string
  const [kept, revoked] = [await make(`kept${cycle}`), await make(`revoked${cycle}`)]
  return { kept, revoked, revoke: () => at.rows(`DROP TOKEN revoked${cycle}`) }
}

async function assertObservedOnce(at: QueryClient): Promise<void> {
  const count = async (table: string, column: string) =>
    (await at.allRows(`SCAN ${column} FROM ${table} USE PRIMARY KEY`)).length
  const notes = await count('note', 'id')
  // While no standby was there none could be, so there may be thousands of them.
  for (let seen = await count('seen', 'note'); seen < notes; ) {
    const before = seen
    const hasGoneOn = async () => {
      seen = await count('seen', 'note')
      return seen > before
    }
    await until(hasGoneOn, `more than ${seen} of ${notes} notes to be observed`)
  }
  assert.deepEqual(await at.allRows('SCAN note FROM seen USE PRIMARY KEY WHERE runs <> 1'), [])
}

const recent = (written: readonly Written[]) => [
  ...written.filter(({ told }) => told === 'either'),
  ...written.filter(({ told }) => told === 'present').slice(-SENT_AGAIN),
]

test(
  `${CYCLES} times kill -9 of the primary under ${WRITERS} writers, and its standby promoted: nothing acknowledged is lost (STANDBY_SEED=${SEED})`,
  TIMEOUT,
  async (t) => {
    const random = new SeededRandomness(SEED)
    const pair = await SecondCopyPair.open(t, 'required', DEFINITIONS)
    const ledger = new SecondCopyLedger()
    const subscriber = new NoteSubscriber([pair.primary.url, pair.standby.url], pair.token)
    t.after(() => subscriber.close())
    let inDoubt = 0
    for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
      const first = ledger.written.length
      const before = ledger.acknowledged
      const tokens = await tokensOf(pair.at, cycle)
      ledger.shown = undefined
      const work = workAt(pair.at, ledger, random)
      await worked(ledger, before)
      await delay(random.below(1_000))
      await tokens.revoke()
      await delay(random.below(40))
      await pair.primary.server?.killNine()
      await work.ended
      const how =
        (['running', 'running', 'stopped', 'killed'] as const)[random.below(4)] ?? 'running'
      await pair.promote(how)
      // One that was replaced while its successor was down is told by nobody.
      if (how === 'running' && random.below(2) === 0) await pair.startReplaced()
      else rmSync(pair.standby.folder, { recursive: true })
      await pair.startStandby()
      await pair.takesWrites()

      const { at } = pair
      if (ledger.shown !== undefined) await checkShown(at, ledger.shown)
      inDoubt += await checkWritten(at, ledger.written)
      await checkOutcomes(at, recent(ledger.written.slice(first)))
      await checkWritten(at, ledger.written)
      for (const [token, status] of [[tokens.kept, 200] as const, [tokens.revoked, 401] as const]) {
        const answer = await at.query('SCAN n FROM head', { authorization: `Bearer ${token}` })
        assert.equal(answer.status, status)
      }
      await assertObservedOnce(at)
      await subscriber.check(at)
      await assertSound(at)
      t.diagnostic(
        `cycle ${cycle}, ${how}: ${ledger.acknowledged - before} acknowledged, ` +
          `${ledger.reads} reads so far, a standby that ${pair.saidOfStandby}`,
      )
    }
    await assertSoundFolders(pair)
    assert.ok(ledger.acknowledged > CYCLES)
    t.diagnostic(
      `${CYCLES} kills: ${ledger.acknowledged} acknowledged, 0 lost, 0 partial; of those without an answer ${inDoubt} ` +
        `are there; refused: ${JSON.stringify([...ledger.refusals])}; ${subscriber.said}`,
    )
  },
)

/** Kills the standby in one of its phases, and returns which. */
async function killStandby(t: TestContext, pair: SecondCopyPair, random: SeededRandomness) {
  const phase = (['applying', 'starting', 'copying'] as const)[random.below(3)] ?? 'applying'
  await pair.standby.server?.killNine()
  if (phase === 'copying') rmSync(pair.standby.folder, { recursive: true })
  if (phase !== 'applying') {
    await startAndKill(pair.standby.folder, pair.followFlags, 300 + random.below(1_500))
  }
  t.signal.throwIfAborted()
  return phase
}

async function metricAt(at: QueryClient, name: string): Promise<number> {
  const { body } = await at.send('/metrics')
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(String(body))?.[1])
}

async function assertEqualAt(pair: SecondCopyPair): Promise<void> {
  const { body } = await pair.at.query('SCAN n FROM head')
  const asOf = body.readTimestamp as number
  const ours = await notesAt(pair.at, asOf)
  await until(async () => {
    const { status } = await pair.atStandby.send('/v1/query', { sql: 'SCAN n FROM head', asOf })
    return status === 200
  }, 'the standby to come to the timestamp')
  assert.deepEqual(await notesAt(pair.atStandby, asOf), ours)
}

test(
  `${CYCLES} times kill -9 of the standby under ${WRITERS} writers: the primary waits, and it catches up (STANDBY_SEED=${SEED})`,
  TIMEOUT,
  async (t) => {
    const random = new SeededRandomness(SEED)
    const pair = await SecondCopyPair.open(t, 'required', DEFINITIONS)
    const ledger = new SecondCopyLedger()
    const work = workAt(pair.at, ledger, random)
    for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
      const before = ledger.acknowledged
      await worked(ledger, before)
      await delay(random.below(1_000))
      const phase = await killStandby(t, pair, random)
      await delay(random.below(1_500))
      const alone = ledger.acknowledged
      await delay(300)
      assert.equal(ledger.acknowledged, alone, 'nothing is acknowledged without a second copy')
      await pair.startStandby()
      await until(() => ledger.acknowledged > alone, 'writes to go on')
      await assertEqualAt(pair)
      await assertSound(pair.atStandby)
      t.diagnostic(`cycle ${cycle}, ${phase}: ${alone - before} acknowledged before`)
    }
    await work.end()
    const inDoubt = await checkWritten(pair.at, ledger.written)
    await checkOutcomes(pair.at, recent(ledger.written))
    await checkWritten(pair.at, ledger.written)
    await assertObservedOnce(pair.at)
    await assertEqualAt(pair)
    await assertSoundFolders(pair)
    t.diagnostic(
      `${CYCLES} kills: ${ledger.acknowledged} acknowledged, 0 lost; ${ledger.unknown} unknown, of which ${inDoubt} ` +
        `are there; refused: ${JSON.stringify([...ledger.refusals])}`,
    )
  },
)

test(
  `preferred: a killed standby is waited for 5 s, then writes go on without, until it is back (STANDBY_SEED=${SEED})`,
  TIMEOUT,
  async (t) => {
    const random = new SeededRandomness(SEED)
    const pair = await SecondCopyPair.open(t, 'preferred', DEFINITIONS)
    const ledger = new SecondCopyLedger()
    const work = workAt(pair.at, ledger, random)
    const isAlone = async () => (await pair.at.send('/v1/replication')).body.secondCopy.alone
    await until(() => ledger.acknowledged > 0, 'a write that both have')
    assert.equal(await isAlone(), false)
    await pair.standby.server?.killNine()
    const killedMs = performance.now()
    await delay(500)
    const waiting = ledger.acknowledged
    await until(() => ledger.acknowledged > waiting, 'writes to go on without')
    const goneOnMs = performance.now() - killedMs
    assert.ok(goneOnMs > 4_500, `they went on after ${goneOnMs} ms`)
    assert.equal(await isAlone(), true)
    assert.equal(await metricAt(pair.at, 'percolite_second_copy_alone'), 1)
    await pair.startStandby()
    await until(async () => !(await isAlone()), 'the standby to catch up')
    assert.equal(await metricAt(pair.at, 'percolite_second_copy_alone'), 0)
    await assertEqualAt(pair)
    await work.end()
    await checkWritten(pair.at, ledger.written)
    await checkOutcomes(pair.at, recent(ledger.written))
    await assertSoundFolders(pair)
    t.diagnostic(`${ledger.acknowledged} acknowledged; alone after ${Math.round(goneOnMs)} ms`)
  },
)
