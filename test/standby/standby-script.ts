// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SeededRandomness } from '../seeded-randomness.ts'
import { PLANTED } from '../simulation/mutants/planted.ts'
import { type Happened, type Options, StandbyWorld } from './model/standby-world.ts'

/** A bug may need many runs; that there is none costs one short one in `npm test`. */
const RUNS = process.env[PLANTED] ? { seeds: 8, steps: 200 } : { seeds: 1, steps: 60 }

/** One random life of a primary and a standby; what happened in it. An error names the seed. */
export async function standbyRun(seed: number, steps: number): Promise<Happened> {
  const folder = await mkdtemp(join(tmpdir(), 'percolite-standby-model-'))
  const random = new SeededRandomness(seed)
  const options: Options = {
    mode: seed % 2 === 0 ? 'none' : 'required',
    redoLog: seed % 4 < 2 ? 'never' : 'always',
  }
  let step = 0
  try {
    const world = await StandbyWorld.open(folder, random, options)
    for (; step < steps; step += 1) await world.step()
    await world.end()
    return world.happened
  } catch (error) {
    const about = `seed ${seed}, step ${step}, ${JSON.stringify(options)}`
    throw new Error(`${about}: ${(error as Error).message}`, { cause: error })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Some of them, for bugs that are planted. */
export async function standbyShowsItsPrimary(): Promise<void> {
  for (let seed = 1; seed <= RUNS.seeds; seed += 1) {
    const happened = await standbyRun(seed, RUNS.steps)
    assert.ok((happened.snapshots ?? 0) > 0)
  }
}
