// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { clientKeyOf } from './client-key.ts'
import { SharedBound } from './shared-bound.ts'

const A = clientKeyOf('127.0.0.2')
const B = clientKeyOf('127.0.0.3')
const C = clientKeyOf('127.0.0.4')

function boundOf(max: number): SharedBound {
  return new SharedBound({ limit: 'thingsMax', max, what: 'Things' })
}

test('one client takes three quarters, a second and a third one still get through', () => {
  const bound = boundOf(80)
  bound.take(A, 60)
  assert.equal(bound.refusal(A)?.code, 'client_overloaded')
  assert.deepEqual(bound.refusal(A)?.fields, { limit: 'thingsMax', limitValue: 60, actual: 61 })
  bound.take(B, 9)
  assert.equal(bound.refusal(B)?.code, 'overloaded')
  bound.take(C, 9)
  assert.equal(bound.held, 78)
})

test('what no client may ever hold is its own fault for good, and not retryable', () => {
  assert.equal(boundOf(80).refusal(A, 61)?.code, 'limit_exceeded')
  assert.equal(boundOf(80).refusal(A, 60), undefined)
})

test('a client that is refused because of others is told so, and gets through when they give back', () => {
  const bound = boundOf(80)
  bound.take(A, 60)
  assert.equal(bound.refusal(B, 12)?.code, 'overloaded')
  bound.giveBack(A, 10)
  bound.take(B, 10)
  assert.equal(bound.heldBy(A), 50)
})

test('the whole bound is never exceeded, and who holds nothing is only refused when many hold much', () => {
  const steps = fc.array(fc.record({ client: fc.nat(9), amount: fc.integer({ min: 1, max: 40 }) }))
  fc.assert(
    fc.property(steps, (taken) => {
      const bound = boundOf(80)
      for (const { client, amount } of taken) {
        const key = clientKeyOf(`127.0.1.${client}`)
        if (bound.refusal(key, amount) === undefined) bound.take(key, amount)
        assert.ok(bound.held <= 80)
        assert.ok(bound.heldBy(key) <= 60)
      }
      // However much the others took, the reserved quarter was only taken by those who held little.
      if (bound.held <= 70) assert.equal(bound.refusal(clientKeyOf('127.0.2.1'), 1), undefined)
    }),
  )
})
