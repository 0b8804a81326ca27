// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { openStorage, type Storage } from '../../../../storage/storage.ts'
import { LiveWorld } from '../../../../test/live/live-world.ts'
import { SeededRandomness } from '../../../../test/seeded-randomness.ts'
import { testFolder } from '../../../../test/test-folder.ts'

/** `LIVE_STATES=100000 LIVE_SEED=7` looks at more. */
const STATES = Number(process.env.LIVE_STATES ?? 300)
const SEED = Number(process.env.LIVE_SEED ?? 1)

async function openEngine(t: TestContext, engine: 'sqlite' | 'memory'): Promise<Storage> {
  if (engine === 'memory') return openStorage({ engine })
  return openStorage({ engine, dataDirectory: await testFolder(t, 'live') })
}

for (const engine of ['sqlite', 'memory'] as const) {
  test(`each state of a live result is the answer as of its timestamp: ${engine}, seed ${SEED}`, async (t) => {
    const world = await LiveWorld.open(await openEngine(t, engine), new SeededRandomness(SEED))
    t.after(() => world.close())
    while (world.states < STATES) await world.step()
    await world.check()
    t.diagnostic(`${world.states} states`)
    assert.ok(world.states >= STATES)
  })
}
