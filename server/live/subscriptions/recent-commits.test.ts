// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import type { FeedCommit } from '../../../storage/storage.ts'
import { RecentCommits } from './recent-commits.ts'

function commit(commitTs: number, rows = 1): FeedCommit {
  const row = { key: Uint8Array.of(1), columns: ['0'], isDelete: false }
  return { commitTs, rows: Array.from({ length: rows }, () => row) }
}

function read(recent: RecentCommits, position: number, rowsMax = 100) {
  const page = recent.read(position, rowsMax)
  if (page === undefined) return undefined
  return [page.commits.map(({ commitTs }) => commitTs), page.position, page.isCaughtUp]
}

test('who knows what was there at the beginning finds the rest, page by page', () => {
  const recent = new RecentCommits(1_000)
  assert.equal(read(recent, 30), undefined, 'nobody follows the feed')
  recent.followedFrom(20)
  assert.deepEqual(read(recent, 20), [[], 20, true])
  for (const commitTs of [30, 40, 50]) recent.add(commit(commitTs, 2))
  assert.equal(read(recent, 19), undefined)
  assert.deepEqual(read(recent, 20), [[30, 40, 50], 50, true])
  assert.deepEqual(read(recent, 20, 3), [[30, 40], 40, false])
  assert.deepEqual(read(recent, 40, 3), [[50], 50, true])
  assert.deepEqual(read(recent, 35, 1), [[40], 40, false])
  assert.deepEqual(read(recent, 60), [[], 60, true])
  recent.passed(55)
  assert.deepEqual(read(recent, 40), [[50], 55, true])
})

test('a feed that is followed again from where it was tells nothing twice', () => {
  const recent = new RecentCommits(1_000)
  recent.followedFrom(20)
  recent.add(commit(30))
  recent.add(commit(40))
  recent.followedFrom(30)
  recent.add(commit(40))
  recent.add(commit(50))
  assert.deepEqual(read(recent, 20), [[30, 40, 50], 50, true])
})

test('a feed that is followed from later on leaves a gap, which nobody is told across', () => {
  const recent = new RecentCommits(1_000)
  recent.followedFrom(20)
  recent.add(commit(30))
  recent.followedFrom(40)
  recent.add(commit(50))
  assert.equal(read(recent, 30), undefined)
  assert.deepEqual(read(recent, 40), [[50], 50, true])
  recent.clear()
  assert.equal(read(recent, 40), undefined)
})

test('the oldest are forgotten, and who would need them asks the store', () => {
  const recent = new RecentCommits(10)
  recent.followedFrom(0)
  for (let commitTs = 1; commitTs <= 21; commitTs += 1) recent.add(commit(commitTs))
  assert.equal(read(recent, 10), undefined)
  assert.deepEqual(read(recent, 18), [[19, 20, 21], 21, true])
  assert.equal(recent.read(11, 100)?.commits.length, 10)
  recent.add(commit(22, 1_000))
  assert.deepEqual(read(recent, 22), [[], 22, true])
  assert.equal(read(recent, 21), undefined)
})
