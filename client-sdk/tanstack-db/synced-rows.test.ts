// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SyncedRows } from './synced-rows.ts'

type Letter = { readonly id: number; readonly letter: string }

const row = (id: number, letter: string) => ({ key: [id], row: { id, letter } })
const update = (id: number, letter: string) => ({ op: 'update' as const, ...row(id, letter) })

/** Rows that are keyed by their letters, which is not their primary key. */
function rowsOf(...letters: ReadonlyArray<readonly [number, string]>): SyncedRows<Letter> {
  const rows = new SyncedRows<Letter>(({ letter }) => letter)
  rows.snapshot(letters.map(([id, letter]) => row(id, letter)))
  return rows
}

test('two rows that change their keys with each other are both written as updates', () => {
  const rows = rowsOf([1, 'a'], [2, 'b'])
  assert.deepEqual(rows.commit([update(1, 'b'), update(2, 'a')]), [
    { type: 'update', value: { id: 1, letter: 'b' } },
    { type: 'update', value: { id: 2, letter: 'a' } },
  ])
})

test('a row that takes the key of one that goes with the same commit, in either order, is an update', () => {
  const gone = { op: 'leave' as const, key: [2] }
  for (const changes of [
    [update(1, 'b'), gone],
    [gone, update(1, 'b')],
  ]) {
    assert.deepEqual(rowsOf([1, 'a'], [2, 'b']).commit(changes), [
      { type: 'delete', key: 'a' },
      { type: 'update', value: { id: 1, letter: 'b' } },
    ])
  }
})

test('two rows of one key are an error, in a snapshot, in a commit and against a row that stays', () => {
  const message = /Two rows have the key "a"/
  assert.throws(() => rowsOf([1, 'a'], [2, 'a']), message)
  assert.throws(() => rowsOf().commit([update(1, 'a'), update(2, 'a')]), message)
  assert.throws(() => rowsOf([1, 'a'], [2, 'b']).commit([update(2, 'a')]), message)
})

test('a row that goes without having been there is nothing, and a new snapshot is all inserts', () => {
  const rows = rowsOf([1, 'a'])
  assert.deepEqual(rows.commit([{ op: 'delete', key: [7] }]), [])
  assert.deepEqual(rows.snapshot([row(1, 'b')]), [
    { type: 'insert', value: { id: 1, letter: 'b' } },
  ])
})

const item = (id: number, letter: string) => ({ id, letter })

/** A list of rows that are keyed by their letters, `a` first. */
function listOf(...letters: readonly string[]): SyncedRows<Letter> {
  const rows = new SyncedRows<Letter>(({ letter }) => letter)
  rows.list(letters.map((letter, at) => item(at, letter)))
  return rows
}

test('a patch that moves a row, drops one and brings one writes these and no others', () => {
  const rows = listOf('a', 'b', 'c', 'd')
  const writes = rows.patch([
    [0, 1, []],
    [2, 1, [item(0, 'a')]],
    [0, 0, [item(9, 'e')]],
  ])
  assert.deepEqual(writes, [
    { type: 'delete', key: 'd' },
    { type: 'update', value: item(0, 'a') },
    { type: 'insert', value: item(9, 'e') },
  ])
  // The list is e, b, c, a.
  assert.deepEqual(rows.patch([[1, 1, []]]), [{ type: 'delete', key: 'b' }])
})

test('what one splice brings and the next takes away is nothing', () => {
  const brought = [0, 0, [item(9, 'e')]] as const
  assert.deepEqual(listOf('a').patch([brought, [0, 1, []]]), [])
})

test('two rows of a list that have one key are an error, when all splices are applied', () => {
  const again = [0, 0, [item(9, 'a')]] as const
  assert.deepEqual(listOf('a').patch([again, [1, 1, []]]), [
    { type: 'update', value: item(9, 'a') },
  ])
  for (const work of [() => listOf('a', 'a'), () => listOf('a').patch([again])]) {
    assert.throws(work, /Two rows have the key "a"/)
  }
})
