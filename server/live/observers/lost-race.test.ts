// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { noSecondCopy, notPrimary, StorageError, superseded } from '../../../storage/storage.ts'
import { lostRaceOf } from './observer-event.ts'

test('a conflict is found under whatever a function has wrapped around it', () => {
  const conflict = new StorageError('write_conflict', 'It was written.')
  const full = new StorageError('disk_full', 'There is no room.')
  const unknown = new StorageError('commit_outcome_unknown', 'Nobody knows.')
  const wrapped = new Error('outer', { cause: new TypeError('inner', { cause: conflict }) })
  assert.equal(lostRaceOf(conflict), conflict)
  assert.equal(lostRaceOf(wrapped), conflict)
  assert.equal(lostRaceOf(unknown), unknown)
  assert.equal(lostRaceOf(full), full)
})

test('a store that takes no writes is no fault of the function, however long it takes none', () => {
  for (const error of [notPrimary('http://other:4270'), superseded(''), noSecondCopy()]) {
    assert.equal(lostRaceOf(new Error('outer', { cause: error })), error)
  }
})

test('what is no conflict is a failure', () => {
  const gone = new StorageError('unknown_table', 'It is gone.')
  for (const error of [gone, new Error('outer', { cause: gone }), 'text', undefined, null]) {
    assert.equal(lostRaceOf(error), undefined)
  }
})

test('an error that is its own cause is a failure as all others', () => {
  const circular = new Error('round and round')
  circular.cause = circular
  assert.equal(lostRaceOf(circular), undefined)
})
