// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StorageError } from '../../errors.ts'
import { type HistoryGap, StoreHistory } from './store-history.ts'

const ID = '000102030405060708090a0b0c0d0e0f'
const OTHER = 'ff0102030405060708090a0b0c0d0e0f'

/** The fields of the refusal; undefined where the timestamp is of the history. */
function refusal(history: StoreHistory, timestamp: number, given?: string): unknown {
  try {
    history.require(timestamp, given)
    return undefined
  } catch (error) {
    assert.ok(error instanceof StorageError)
    assert.equal(error.code, 'history_replaced')
    assert.equal(error.retryable, false)
    return error.fields
  }
}

test('a timestamp without an id is judged by where the history begins', () => {
  const history = new StoreHistory(ID, 100, [])
  assert.deepEqual(refusal(history, 99), { history: ID, from: 100, timestamp: 99 })
  for (const own of [0, 100, 101, Number.MAX_SAFE_INTEGER]) {
    assert.equal(refusal(history, own), undefined, `${own}`)
  }
})

test('a store from before there were histories has had every timestamp', () => {
  const history = new StoreHistory(ID, 0, [])
  for (const own of [0, 1, 99]) assert.equal(refusal(history, own), undefined, `${own}`)
})

test('what a restored copy has lost lies in a gap, and what it has kept does not', () => {
  const gaps: HistoryGap[] = [
    { after: 0, until: 100 },
    { after: 150, until: 200 },
    { after: 200, until: 300 },
  ]
  const history = new StoreHistory(ID, 300, gaps)
  for (const own of [0, 100, 150, 200, 300, 301]) {
    assert.equal(refusal(history, own), undefined, `${own}`)
  }
  const about = { history: ID, from: 300 }
  assert.deepEqual(refusal(history, 99), { ...about, timestamp: 99, gap: gaps[0] })
  for (const lost of [151, 199]) {
    assert.deepEqual(refusal(history, lost), { ...about, timestamp: lost, gap: gaps[1] })
  }
  assert.deepEqual(refusal(history, 201), { ...about, timestamp: 201, gap: gaps[2] })
})

test('an id of another history is never believed, and the own one does not hide a gap', () => {
  const gap = { after: 150, until: 200 }
  const history = new StoreHistory(ID, 200, [gap])
  assert.equal(refusal(history, 250, ID), undefined)
  assert.deepEqual(refusal(history, 160, ID), { history: ID, from: 200, timestamp: 160, gap })
  assert.deepEqual(refusal(history, 250, OTHER), { history: ID, from: 200, timestamp: 250 })
  assert.deepEqual(refusal(history, 160, OTHER), { history: ID, from: 200, timestamp: 160, gap })
  assert.throws(() => history.requireName(OTHER), { code: 'history_replaced' })
  history.requireName(ID)
  history.requireName(undefined)
})

test('rows that are no history are damage, and are not judged by', () => {
  const wrong: ReadonlyArray<readonly [string, number, HistoryGap[]]> = [
    ['short', 0, []],
    [ID.toUpperCase(), 0, []],
    [ID, -1, []],
    [ID, 0.5, []],
    [ID, 199, [{ after: 150, until: 200 }]],
    [ID, 200, [{ after: 150, until: 150 }]],
    [
      ID,
      200,
      [
        { after: 100, until: 160 },
        { after: 150, until: 200 },
      ],
    ],
  ]
  for (const [id, from, gaps] of wrong) {
    assert.throws(
      () => new StoreHistory(id, from, gaps),
      { rule: 'H1' },
      JSON.stringify([id, from]),
    )
  }
})
