// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { RepeatedEvents } from './repeated-events.ts'

const MINUTE_MS = 60_000

function failed(address: string) {
  return { event: 'authentication_failed', address, code: 'unauthenticated' } as const
}

describe('events that clients can repeat', () => {
  test('are told alone ten times a minute by each origin, and then counted', () => {
    const events = new RepeatedEvents()
    const alone = (address: string, nowMs: number) =>
      Array.from({ length: 15 }, () => events.isToldAlone(failed(address), nowMs)).filter(Boolean)
    assert.equal(alone('a', 0).length, 10)
    assert.equal(alone('b', 1_000).length, 10)
    assert.deepEqual(events.ended(MINUTE_MS - 1), [])
    assert.deepEqual(
      events.ended(MINUTE_MS).map(({ address, count }) => [address, count]),
      [['a', 5]],
    )
    assert.equal(alone('a', MINUTE_MS).length, 10)
    assert.equal(events.ended().length, 2)
  })

  test('are counted together where they come from more origins than are remembered', () => {
    const events = new RepeatedEvents()
    let alone = 0
    for (let at = 0; at < 12_000; at += 1) {
      if (events.isToldAlone(failed(`a${at}`), 0)) alone += 1
    }
    assert.equal(alone, 10_000)
    assert.deepEqual(events.ended(MINUTE_MS), [
      { event: 'authentication_failed', address: 'others', count: 2_000 },
    ])
  })
})
