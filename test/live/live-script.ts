// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { openStorage } from '../../storage/storage.ts'
import { SeededRandomness } from '../seeded-randomness.ts'
import { PLANTED } from '../simulation/mutants/planted.ts'
import { LiveWorld } from './live-world.ts'

/** The moments of evaluations are real ones, so a bug that few commits meet is found by one seed or another. */
const SEEDS = process.env[PLANTED] ? 40 : Number(process.env.LIVE_SEEDS ?? 1)
const STATES = 800

/** Random commits beside subscribers of live results, each of whose states has to be the answer as of its timestamp. */
export async function liveResultsAreAnswers(): Promise<void> {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const storage = await openStorage({ engine: 'memory' })
    const world = await LiveWorld.open(storage, new SeededRandomness(seed))
    while (world.states < STATES) await world.step()
    await world.check()
    await world.close()
    assert.ok(world.states >= STATES)
  }
}
