// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { standbyRun } from './standby-script.ts'

const SEEDS = Number(process.env.STANDBY_SEEDS ?? 1)
const STEPS = Number(process.env.STANDBY_STEPS ?? 80)
const FIRST = Number(process.env.STANDBY_SEED ?? Date.now() % 1_000_000)

test('a standby shows what its primary had, over crashes, promotions and a network that loses', async (t) => {
  for (let seed = FIRST; seed < FIRST + SEEDS; seed += 1) {
    t.diagnostic(`STANDBY_SEED=${seed} STANDBY_STEPS=${STEPS}`)
    const happened = await standbyRun(seed, STEPS)
    t.diagnostic(JSON.stringify(happened))
    assert.ok((happened.promotions ?? 0) > 0)
    assert.ok((happened.digests ?? 0) > 0)
  }
})
