// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Confirmations } from './confirmations.ts'
import type { ToolError } from './tool-error.ts'

const SHOWN = { sql: 'DELETE FROM t WHERE id = :id', params: { id: 1, j: { a: 1, b: 2 } } }

function reasonOf(work: () => void): unknown {
  try {
    work()
    return 'used'
  } catch (error) {
    return (error as ToolError).fields.reason
  }
}

describe('a confirmation', () => {
  test('counts once, for as long as was said', () => {
    let nowMs = 0
    const confirmations = new Confirmations(1_000, () => nowMs)
    const [first, second] = [confirmations.give(SHOWN), confirmations.give(SHOWN)]
    nowMs = 1_000
    assert.equal(
      reasonOf(() => confirmations.use(first, SHOWN)),
      'used',
    )
    assert.equal(
      reasonOf(() => confirmations.use(first, SHOWN)),
      'unknown',
    )
    nowMs = 1_001
    assert.equal(
      reasonOf(() => confirmations.use(second, SHOWN)),
      'expired',
    )
  })

  test('is of its text and its values, whatever the order of the parameters', () => {
    const confirmations = new Confirmations(1_000, () => 0)
    for (const [other, reason] of [
      [{ ...SHOWN, params: { j: { a: 1, b: 2 }, id: 1 } }, 'used'],
      [{ ...SHOWN, params: { id: 1, j: { b: 2, a: 1 } } }, 'otherText'],
      [{ ...SHOWN, params: { id: '1', j: { a: 1, b: 2 } } }, 'otherText'],
      [{ ...SHOWN, params: [['id', 1]] }, 'otherText'],
      [{ ...SHOWN, params: undefined }, 'otherText'],
      [{ ...SHOWN, sql: `${SHOWN.sql};` }, 'otherText'],
    ] as const) {
      const word = confirmations.give(SHOWN)
      assert.equal(
        reasonOf(() => confirmations.use(word, other)),
        reason,
      )
    }
  })

  test('does not count any more when very many came after it', () => {
    const confirmations = new Confirmations(1_000, () => 0)
    const words = Array.from({ length: 65 }, () => confirmations.give(SHOWN))
    assert.equal(
      reasonOf(() => confirmations.use(words[0] as string, SHOWN)),
      'unknown',
    )
    assert.equal(
      reasonOf(() => confirmations.use(words[1] as string, SHOWN)),
      'used',
    )
  })
})
