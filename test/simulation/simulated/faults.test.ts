// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SeededRandomness } from '../../seeded-randomness.ts'
import { drawSwarm } from '../swarm.ts'
import { FaultMenu } from './faults.ts'

test('clients forget their transactions only while there are faults', () => {
  const swarm = { ...drawSwarm(2), forgetRate: 1, forgetMsMax: 100 }
  const menu = new FaultMenu(new SeededRandomness(1), swarm)
  assert.equal(menu.forgottenMs(), undefined)
  menu.start()
  const ms = menu.forgottenMs() ?? 0
  assert.ok(ms > 0 && ms < 100, String(ms))
  menu.stop()
  assert.equal(menu.forgottenMs(), undefined)
})
