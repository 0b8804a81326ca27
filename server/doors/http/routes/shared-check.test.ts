// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { ConsistencyReport } from '../../../../storage/operations/operations.ts'
import { SharedCheck } from './shared-check.ts'

/** Checks that end when the test says so, each with its number as what it found. */
function scene() {
  const checks: Array<PromiseWithResolvers<ConsistencyReport> & { readonly signal: AbortSignal }> =
    []
  const shared = new SharedCheck((signal) => {
    const check = { ...Promise.withResolvers<ConsistencyReport>(), signal }
    signal.addEventListener('abort', () => check.reject(signal.reason))
    checks.push(check)
    return check.promise
  })
  const end = (number: number) => checks[number]?.resolve({ rows: number } as ConsistencyReport)
  return { shared, checks, end }
}

const LIVE = new AbortController().signal

test('those who ask while a check is running share the next one, which begins after it', async () => {
  const { shared, checks, end } = scene()
  const first = shared.report(LIVE)
  await setImmediate()
  const others = Array.from({ length: 100 }, () => shared.report(LIVE))
  await setImmediate()
  assert.equal(checks.length, 1)
  end(0)
  assert.equal((await first).rows, 0)
  await setImmediate()
  end(1)
  assert.deepEqual(new Set((await Promise.all(others)).map(({ rows }) => rows)), new Set([1]))
  assert.equal(checks.length, 2)
})

test('a check ends when the last of those who wait for it leaves', async () => {
  const { shared, checks } = scene()
  const [one, two] = [new AbortController(), new AbortController()]
  const asked = [shared.report(one.signal), shared.report(two.signal)]
  await setImmediate()
  one.abort(new Error('One left.'))
  await assert.rejects(asked[0] as Promise<unknown>, /One left/)
  assert.equal(checks[0]?.signal.aborted, false)
  two.abort(new Error('Two left.'))
  await assert.rejects(asked[1] as Promise<unknown>, /Two left/)
  assert.equal(checks[0]?.signal.aborted, true)
})

test('a check that nobody waits for any more is not begun, and a later one is', async () => {
  const { shared, checks, end } = scene()
  const first = shared.report(LIVE)
  await setImmediate()
  const left = new AbortController()
  const waiting = shared.report(left.signal)
  left.abort(new Error('It left.'))
  await assert.rejects(waiting, /It left/)
  const later = shared.report(LIVE)
  end(0)
  await first
  await setImmediate()
  end(1)
  assert.equal((await later).rows, 1)
  assert.equal(checks.length, 2)
})
