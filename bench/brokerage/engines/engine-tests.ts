// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { testFolder, testWithPeer } from '../../servers/peer-tests.ts'
import type { Engine } from '../engine.ts'
import { loadPopulation } from '../loading/load-population.ts'
import { verifyLoad } from '../loading/verify-load.ts'
import { Population } from '../population/population.ts'
import { profileOf } from '../population/profiles.ts'
import { ENGINE_KINDS, type EngineName, programOf } from './engine-kinds.ts'

const TINY = profileOf('tiny')

/**
 * The people, securities and codes of `tiny` with an eighth of its history: each test loads it anew, and
 * what a transaction does depends on no more trades than a lookup finds.
 */
export const TEST_POPULATION = new Population(
  { ...TINY, days: TINY.days / 8, trades: TINY.trades / 8, marketDays: 25 },
  11n,
)

/** A test on a loaded engine of its own; skipped where its program is not installed. */
export function testOnEngine(
  name: EngineName,
  title: string,
  work: (engine: Engine, context: TestContext) => Promise<void>,
): void {
  testWithPeer(programOf(name), `${name}: ${title}`, async (context) => {
    await withLoadedEngine(context, name, (engine) => work(engine, context))
  })
}

export async function withLoadedEngine<Result>(
  context: TestContext,
  name: EngineName,
  work: (engine: Engine) => Promise<Result>,
): Promise<Result> {
  const folder = await testFolder(context, `brokerage-${name}`)
  const engine: Engine = await ENGINE_KINDS[name].open({ folder, percolite: {}, connections: 4 })
  try {
    const surroundings = { signal: new AbortController().signal, say() {} }
    await engine.load(async (loader) => {
      await loadPopulation(loader, TEST_POPULATION, surroundings)
    })
    assert.deepEqual(await verifyLoad(engine, TEST_POPULATION), [])
    return await work(engine)
  } finally {
    await engine.close()
  }
}
