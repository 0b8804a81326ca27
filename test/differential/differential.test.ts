// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { compareSeed } from './comparison.ts'

const SECONDS = Number(process.env.DIFFERENTIAL_SECONDS ?? 4)
const SEED = process.env.DIFFERENTIAL_SEED

/** Replay one with `DIFFERENTIAL_SEED=<seed> node --test test/differential/differential.test.ts`. */
async function compare(seed: number): Promise<{ same: number; refused: number }> {
  try {
    return await compareSeed(seed)
  } catch (error) {
    throw new Error(`DIFFERENTIAL_SEED=${seed}`, { cause: error })
  }
}

test('random statements answer what plain SQL answers, and read what their plans say', async (t) => {
  if (SEED !== undefined) {
    t.diagnostic(JSON.stringify(await compare(Number(SEED))))
    return
  }
  const first = Math.floor(Math.random() * 2 ** 31)
  const until = performance.now() + SECONDS * 1_000
  const total = { tables: 0, same: 0, refused: 0 }
  while (performance.now() < until || total.tables < 10) {
    const { same, refused } = await compare(first + total.tables)
    total.tables += 1
    total.same += same
    total.refused += refused
  }
  t.diagnostic(`from seed ${first}: ${JSON.stringify(total)}`)
  // Statements that no key can serve are part of the dialect, but must not be all that is compared.
  assert.ok(total.same > total.refused, JSON.stringify(total))
})
