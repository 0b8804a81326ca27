// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import {
  behind,
  noSecondCopy,
  notPrimary,
  replicationPositionLost,
  StorageError,
  superseded,
} from '../../storage/storage.ts'
import { problemOf, retryAfterSeconds } from './error-response.ts'
import { ScriptStopped, StatementFailure } from './server-error.ts'

const P = 'http://p:4270'

test('the errors of a second copy say to clients what to do next, alone and of a statement', () => {
  for (const [error, status, retryable, waitSeconds, fields] of [
    [notPrimary(P), 421, false, undefined, { primary: P }],
    [behind(9, 7), 503, true, 1, { minTimestamp: 9, newest: 7 }],
    [superseded(''), 503, false, undefined, { primary: '' }],
    [noSecondCopy(), 503, true, 1, {}],
    [replicationPositionLost(3, 8), 410, false, undefined, { group: 3, oldest: 8 }],
  ] as const) {
    for (const thrown of [error, new StatementFailure(0, error)]) {
      const problem = problemOf(thrown)
      assert.deepEqual([problem.code, problem.status], [error.code, status])
      assert.equal(problem.retryable, retryable, error.code)
      assert.equal(retryAfterSeconds(problem), waitSeconds, error.code)
      for (const [name, value] of Object.entries(fields)) assert.equal(problem[name], value, name)
      assert.equal(problem.hint, error.fields.hint)
    }
  }
})

test('a script of which something is done is never answered 421, which clients repeat by themselves', () => {
  const place = { line: 2, column: 1, total: 2 }
  for (const error of [notPrimary(P), new StorageError('moved', 'Moved.', { url: P })]) {
    const failure = new StatementFailure(1, error)
    const partly = problemOf(new ScriptStopped({ ...place, done: 1, results: [{}] }, failure))
    assert.deepEqual([partly.status, partly.code, partly.done], [409, error.code, 1])
    // What other requests have done before, up to its `from`, is not done again.
    const whole = problemOf(new ScriptStopped({ ...place, done: 1, results: [] }, failure))
    assert.equal(whole.status, 421)
  }
  const busy = problemOf(
    new ScriptStopped({ ...place, done: 1, results: [{}] }, new StatementFailure(1, superseded(P))),
  )
  assert.equal(busy.status, 503)
})
