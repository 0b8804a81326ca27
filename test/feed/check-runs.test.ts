// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { changesByRow, checkRuns } from './check-runs.ts'

const CHANGES = { commits: [10, 20, 30], amount: 7 }

test('runs that collapse, and the last of which saw the last change, are right', () => {
  assert.deepEqual(checkRuns({ started: [12, 25, 31], counted: 3, seen: 7 }, CHANGES), [])
  assert.deepEqual(checkRuns({ started: [30], counted: 1, seen: 7 }, CHANGES), [])
  assert.deepEqual(
    checkRuns({ started: [], counted: 0, seen: null }, { commits: [], amount: null }),
    [],
  )
})

test('a second run for one change, a lost one, and a count that is off are found', () => {
  assert.deepEqual(checkRuns({ started: [12, 15, 31], counted: 3, seen: 7 }, CHANGES), [
    'run 15 saw nothing that run 12 had not seen',
  ])
  assert.deepEqual(checkRuns({ started: [5, 31], counted: 2, seen: 7 }, CHANGES), [
    'run 5 saw nothing that run 0 had not seen',
  ])
  assert.deepEqual(checkRuns({ started: [12, 29], counted: 2, seen: 7 }, CHANGES), [
    'change 30 was never seen',
  ])
  assert.deepEqual(checkRuns({ started: [31], counted: 2, seen: 7 }, CHANGES), [
    '2 counted of 1 runs',
  ])
  assert.deepEqual(checkRuns({ started: [31], counted: 1, seen: 6 }, CHANGES), [
    'saw 6, but it is 7',
  ])
})

test('the changes of a row are the commits that wrote it, a deletion among them', () => {
  const history = [
    { commitTs: 10, rows: new Map([[1, { after: { amount: 3 } }]]) },
    { commitTs: 20, rows: new Map([[1, { before: { amount: 3 } }]]) },
  ]
  assert.deepEqual(changesByRow(history), new Map([[1, { commits: [10, 20], amount: null }]]))
})
