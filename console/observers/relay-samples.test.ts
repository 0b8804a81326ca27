// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import {
  failedChart,
  type RelaySamples,
  relayLagChart,
  sampledRelays,
  sentChart,
} from './relay-samples.ts'

const STATUS = { relay: 'shop', url: '', tables: [], state: 'sending', position: 1 }

test('charts of a relay: lag, what is sent in a second, and tries of a message that is not taken', () => {
  let samples: RelaySamples = new Map()
  const looks = [
    { lagMs: 10, sent: 4 },
    { lagMs: 30, sent: 10, tries: 3 },
    { lagMs: 0, sent: 0 },
  ]
  looks.forEach((look, at) => {
    samples = sampledRelays(samples, [{ ...STATUS, ...look }], 1_000 + at * 2_000)
  })
  const seen = samples.get('shop') ?? []
  assert.deepEqual(relayLagChart(seen), { times: [1, 3, 5], lines: [[10, 30, 0]] })
  // One that was made anew counts from the beginning.
  assert.deepEqual(sentChart(seen).lines, [[null, 3, null]])
  assert.deepEqual(failedChart(seen).lines, [[0, 3, 0]])
  assert.equal(sampledRelays(samples, [], 9_000).size, 0)
})
