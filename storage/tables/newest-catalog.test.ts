// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Transaction } from '../transaction/transaction.ts'
import { createCatalog } from './catalog.ts'
import { NewestCatalog } from './newest-catalog.ts'

const old = createCatalog(40, [])
const changed = createCatalog(140, [])
// Told apart by which one they are, and never looked into.
const change = {} as Transaction
const other = {} as Transaction

suite('the newest catalog of the only owner', () => {
  test('a snapshot after one that was read has its catalog, one before it is not known', () => {
    const newest = new NewestCatalog()
    assert.equal(newest.at(100), undefined)
    newest.wasRead(100, old)
    assert.equal(newest.at(99), undefined)
    assert.equal(newest.at(100), old)
    assert.equal(newest.at(120), old)
  })

  test('while a change is made nothing is known, and nothing is learned', () => {
    const newest = new NewestCatalog()
    newest.wasRead(100, old)
    newest.isChangedBy(change)
    assert.equal(newest.at(120), undefined)
    newest.wasRead(130, old)
    assert.equal(newest.at(150), undefined)
  })

  test('after a change, what was read at a snapshot before it is not the newest', () => {
    const newest = new NewestCatalog()
    newest.isChangedBy(change)
    newest.ended(change, { kind: 'committed', commitTs: 140 })
    newest.wasRead(139, old)
    assert.equal(newest.at(150), undefined)
    newest.wasRead(150, changed)
    assert.equal(newest.at(150), changed)
  })

  test('of two changes at once, the second to end is waited for too', () => {
    const newest = new NewestCatalog()
    newest.isChangedBy(change)
    newest.isChangedBy(other)
    newest.ended(change, { kind: 'committed', commitTs: 140 })
    newest.wasRead(150, changed)
    assert.equal(newest.at(150), undefined)
    newest.ended(other, { kind: 'rolledBack', reason: 'write_conflict' })
    newest.wasRead(151, changed)
    assert.equal(newest.at(151), changed)
  })

  test('after a change whose outcome is not known every snapshot reads for itself', () => {
    const newest = new NewestCatalog()
    newest.isChangedBy(change)
    newest.ended(change, { kind: 'unknown' })
    newest.wasRead(150, old)
    assert.equal(newest.at(150), undefined)
  })

  test('the end of a transaction that changed nothing leaves what is known', () => {
    const newest = new NewestCatalog()
    newest.wasRead(100, old)
    newest.ended(other, { kind: 'committed', commitTs: 110 })
    assert.equal(newest.at(120), old)
  })
})
