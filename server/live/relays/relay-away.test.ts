// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { pino } from 'pino'
import { ManualClock } from '../../../test/manual-clock.ts'
import { RelayScene } from '../../../test/relays/relay-scene.ts'
import { testFolder } from '../../../test/test-folder.ts'

const STEP_MS = 10_000
const STEPS = 360
const COMMITS_IN_A_STEP = Number(process.env.AWAY_COMMITS ?? 1)
const ROWS = 50
const RETENTION_MINUTES = 75

/** What is reachable after everything else is gone. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

/**
 * A server with a relay whose receiver is away. Its clock is the test's: after the hour it is near that of the
 * receiver, which takes no message that is five minutes old, or comes from so far ahead.
 */
async function awayScene(t: test.TestContext) {
  const clock = new ManualClock({ wallMicros: (Date.now() - STEPS * STEP_MS - 120_000) * 1_000 })
  const data = await testFolder(t, 'away')
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })
  const flags = { engine: 'sqlite', data, retention: `${RETENTION_MINUTES}m` } as const
  const scene = await RelayScene.start(t, { flags, deps: { clock, log } })
  await scene.createRelay()
  const port = Number(new URL(scene.receiving.url).port)
  await scene.receiving.away()
  return { scene, clock, lines, back: () => scene.receiving.listen(port) }
}

test('a receiver is away for an hour: few tries, nothing kept in memory, and then each commit once, in order', async (t) => {
  const { scene, clock, lines, back } = await awayScene(t)
  const status = async () => (await scene.server.get('/v1/relays')).body.relays[0]
  let commits = 0
  const commit = async () => {
    const id = commits % ROWS
    commits += 1
    const params = { id, state: `commit ${commits}`, note: 'n'.repeat(10_000) }
    await scene.run('SET state = :state, note = :note ON orders WHERE id = :id', { params })
  }
  const written = async (count: number) => {
    await Promise.all(Array.from({ length: count }, commit))
  }
  await written(ROWS)
  const before = heapBytes()
  for (let step = 0; step < STEPS; step += 1) {
    await written(COMMITS_IN_A_STEP)
    await clock.advance(STEP_MS)
    // A try that the step has begun is over.
    await scene.receiving.until(async () => {
      const { nextTry } = await status()
      return nextTry !== undefined && Date.parse(nextTry) * 1_000 > clock.wallMicros()
    }, 'a next try')
  }
  const grownBytes = heapBytes() - before
  const { tries, state } = await status()
  assert.equal(state, 'failing')
  // Doubled up to five minutes, half of it by chance: from 19 to 33.
  assert.ok(tries >= 18 && tries <= 34, `${tries} tries`)
  assert.ok(grownBytes < 8_000_000, `${grownBytes} bytes more`)

  const { text: metrics } = await scene.server.get('/metrics')
  const ratio = Number(
    /^percolite_relay_retention_ratio\{relay="shop"\} (\S+)$/m.exec(metrics)?.[1],
  )
  assert.ok(ratio > 0.75 && ratio < 0.85, `${ratio} of the retention, and the alert from a half on`)
  const warned = lines.filter((line) => line.includes('behind by more than half'))
  assert.equal(warned.length, 1, 'the log warns once')

  // One answer of 100 is lost.
  scene.receiving.reply = (_, count) => ({ kind: count % 100 === 0 ? 'swallow' : 'pass' })
  await back()
  for (let now = await status(); now.sent < commits; now = await status()) {
    await clock.advance(now.state === 'failing' ? 1_000 : 10)
    await sleep(10)
  }
  await scene.untilCopied()
  const ids = scene.receiving.seen.map(({ id }) => id)
  const firsts = [...new Set(ids)]
  assert.equal(firsts.length, commits)
  assert.equal(ids.length - firsts.length, Math.floor(ids.length / 100))
  assert.deepEqual(firsts, firsts.toSorted(), 'in the order of their commits')
  assert.equal(scene.receiving.taken, commits, 'each is applied once')
})

test('a relay that lags does not keep old versions', async (t) => {
  const { scene, clock } = await awayScene(t)
  await scene.run("INSERT INTO orders (id, state) VALUES (1, 'first')")
  const { storage } = scene.server.server
  const began = clock.wallMicros()
  await clock.advance((RETENTION_MINUTES + 10) * 60_000)
  await storage.collectGarbage()
  assert.ok(storage.status().safePoint > began)
  await scene.receiving.until(async () => {
    await clock.advance(60_000)
    return (await scene.relay()).state === 'stopped'
  }, 'it stops')
})
