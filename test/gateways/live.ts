// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises'
import { type EngineName, startEngine } from '../../bench/engines/shared-engine.ts'
import { LiveReaders } from '../live/live-readers.ts'
import { SeededRandomness } from '../seeded-randomness.ts'
import { GatewaySet } from './gateway-set.ts'

const READERS = 24
const CALM_COMMITS_MAX = 60

/** Readers of live results and writers at both of two gateways, of which one after the other is killed. */
export async function runLive(
  name: EngineName,
  { seconds, seed }: { readonly seconds: number; readonly seed: number },
): Promise<boolean> {
  const random = new SeededRandomness(seed)
  const engine = await startEngine(name)
  const gateways = new GatewaySet(engine, { random })
  const readers = new LiveReaders(random, READERS)
  try {
    await gateways.start(2)
    await readers.define(gateways.any())
    const endMs = performance.now() + seconds * 1_000
    let kills = 0
    for (; kills === 0 || performance.now() < endMs; kills += 1) {
      readers.connect(gateways.urls)
      await readers.begun()
      readers.write(gateways.urls)
      await readers.committed(10 + random.below(CALM_COMMITS_MAX))
      await gateways.kill(random.below(2))
      await readers.committed(random.below(CALM_COMMITS_MAX))
      readers.connect(gateways.urls)
      await delay(random.below(1_000))
      await gateways.add()
      await readers.stop()
      await readers.check(gateways.any())
    }
    console.log(`${engine.name}, seed ${seed}: ${kills} gateways killed; ${readers.said}`)
    return true
  } finally {
    readers.close()
    await gateways.close()
    await engine.close()
  }
}
