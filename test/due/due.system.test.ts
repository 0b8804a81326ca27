// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { missingEngine, startEngine } from '../../bench/engines/shared-engine.ts'
import { checkDataDirectory } from '../../storage/operations/operations.ts'
import { endMisused, scriptFlags } from '../../tools/script-flags.ts'
import { GatewaySet } from '../gateways/gateway-set.ts'
import { SeededRandomness } from '../seeded-randomness.ts'
import { ServerProcess } from '../server/server-process.ts'
import { testFolder } from '../test-folder.ts'
import { Lots } from './lots.ts'

const HELP = `node test/due/due.system.test.ts [--lots 600] [--per-second 200] [--kills 2] [--seed 7]

Lots of an auction that end one after the other, and are moved, ended and deleted meanwhile: each is closed once at each
time that it came to, over kill -9 of the server, and over kills and pauses of two gateways on etcd whose clocks are set
back and forth. Prints how late they were closed, and fails by its exit code.

  --lots        how many (600), or DUE_LOTS in the environment
  --per-second  how many of them end in a second (200), or DUE_PER_SECOND
  --kills       while they do (2), or DUE_KILLS
  --seed        of the random moments (DUE_SEED)`

const { values: given } = scriptFlags(HELP, {
  lots: { type: 'string' },
  'per-second': { type: 'string' },
  kills: { type: 'string' },
  seed: { type: 'string' },
})
const { env } = process
const LOTS = Number(given.lots ?? env.DUE_LOTS ?? 600)
const PER_SECOND = Number(given['per-second'] ?? env.DUE_PER_SECOND ?? 200)
const KILLS = Number(given.kills ?? env.DUE_KILLS ?? 2)
const SEED = Number(given.seed ?? env.DUE_SEED ?? Date.now() % 1_000_000)
if (!(LOTS > 0) || !(PER_SECOND > 0) || !(KILLS >= 0) || !Number.isSafeInteger(SEED)) {
  endMisused(HELP, '--lots, --per-second, --kills and --seed are numbers.')
}
const DURATION_MS = (LOTS / PER_SECOND) * 1_000
const PART_MS = DURATION_MS / (KILLS + 1)
const TIMEOUT = { timeout: 240_000 + KILLS * 30_000 + DURATION_MS * 6 }
const LATE_MS = 120_000 + DURATION_MS * 3
/** The clocks of gateways are apart, and set, by at most so much. */
const STEPPED_MS = 1_000
const CLOSING = fileURLToPath(new URL('./closing.ts', import.meta.url))
const STEPPING = fileURLToPath(new URL('./stepping-clock.ts', import.meta.url))

/** The servers of a run, and what is done to them. */
type Servers = {
  /** Whether they close lots themselves, or workers elsewhere do. */
  readonly isClosing: boolean
  readonly urls: () => readonly string[]
  readonly kill: () => Promise<void>
}

async function closeAll(t: TestContext, servers: Servers, random: SeededRandomness) {
  const url = () => servers.urls()[random.below(servers.urls().length)] as string
  const lots = new Lots(url, random)
  await lots.define()
  // When all of them are written, or nearly.
  const fromMs = Date.now() + 1_000 + LOTS / 4
  await lots.open(LOTS, { fromMs, perSecond: PER_SECOND })
  await delay(Math.max(0, fromMs - Date.now()))
  let working = work(lots, servers)
  const changing = new AbortController()
  const changes = lots.change(changing.signal)
  try {
    for (let left = KILLS; left > 0; left -= 1) {
      await delay(PART_MS / 2 + random.below(PART_MS))
      await servers.kill()
      working.end()
      working = work(lots, servers)
    }
    await delay(PART_MS)
    changing.abort()
    await changes
    t.diagnostic(`${KILLS} kills: ${await lots.check(LATE_MS)}`)
  } finally {
    changing.abort()
    working.end()
    await Promise.all([working.ended, changes])
  }
  return lots
}

/** Workers of each server, elsewhere. */
function work(lots: Lots, { isClosing, urls }: Servers) {
  const ending = new AbortController()
  const served = isClosing ? [] : urls()
  const ended = Promise.all(served.map((url) => lots.work(url, ending.signal)))
  return { ended, end: () => ending.abort() }
}

test(
  `${LOTS} lots are closed at their times over ${KILLS} times kill -9: none is lost, none twice (DUE_SEED=${SEED})`,
  TIMEOUT,
  async (t) => {
    const folder = await testFolder(t, 'due')
    const flags = ['--observers', CLOSING]
    let server = await ServerProcess.start(folder, flags)
    t.after(() => server.killNine())
    const kill = async () => {
      await server.killNine()
      server = await ServerProcess.start(folder, flags)
    }
    const servers = { isClosing: true, urls: () => [server.url], kill }
    const lots = await closeAll(t, servers, new SeededRandomness(SEED))
    assert.ok(lots.earlyMs <= 1, `a lot was closed ${lots.earlyMs} ms before its time`)
    assert.equal(await server.stop(), 0)
    assert.deepEqual((await checkDataDirectory(folder)).problems, [])
  },
)

test(`the same over two gateways on etcd, whose clocks are set back and forth (DUE_SEED=${SEED})`, {
  ...TIMEOUT,
  skip: missingEngine('etcd'),
}, async (t) => {
  const engine = await startEngine('etcd', { members: 1 })
  t.after(() => engine.close())
  const random = new SeededRandomness(SEED)
  const env = { STEPPED_MS: String(STEPPED_MS) }
  const gateways = new GatewaySet(engine, { random, preloaded: STEPPING, env })
  t.after(() => gateways.close())
  await gateways.start(2)
  const kill = async () => t.diagnostic(await gateways.disturb())
  const lots = await closeAll(t, { isClosing: false, urls: () => gateways.urls, kill }, random)
  const mostMs = 2 * STEPPED_MS
  assert.ok(lots.earlyMs <= mostMs, `a lot was closed ${lots.earlyMs} ms before its time`)
})
