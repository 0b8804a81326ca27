// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { tell } from './tell.ts'

test('a function is told, and whatever becomes of it is not heeded', async () => {
  const told: unknown[] = []
  tell((...what: unknown[]) => told.push(what), 1, 'two')
  assert.deepEqual(told, [[1, 'two']])
  tell(undefined, 1)
  tell(() => {
    throw new Error('It has failed.')
  })
  tell(async () => {
    throw new Error('It has failed.')
  })
  // A rejection that nobody heeded would end the test.
  await setImmediate()
})
