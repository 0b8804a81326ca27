// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Change, Row } from '../../client-sdk/client.ts'
import { LINES_MAX, LINES_PER_SECOND, LiveFeed } from './live-feed.ts'
import { KEPT_ROWS_MAX } from './ordered-rows.ts'

const NOW_MS = 1_795_264_701_000

function update(id: number, balance: number): Change<Row> {
  return { op: 'update', key: [id], row: { id, balance } }
}

function commit(changes: readonly Change<Row>[], stampMs = NOW_MS) {
  return { kind: 'commit', timestamp: stampMs * 1_000, changes } as const
}

function feedOf(rows: ReadonlyArray<readonly [id: number, balance: number]>): LiveFeed {
  const feed = new LiveFeed()
  feed.apply(
    { kind: 'rows', rows: rows.map(([id, balance]) => ({ key: [id], row: { id, balance } })) },
    NOW_MS,
  )
  feed.apply({ kind: 'snapshot', timestamp: NOW_MS * 1_000 }, NOW_MS)
  return feed
}

const idsOf = (feed: LiveFeed) => feed.rows.first(10).map(({ key }) => key[0])

describe('what Live shows of a subscription', () => {
  it('are the rows by their keys, whatever the order of the changes', () => {
    const feed = feedOf([
      [5, 50],
      [3, 30],
    ])
    feed.apply(commit([{ op: 'enter', key: [4], row: { id: 4, balance: 40 } }]), NOW_MS)
    assert.deepEqual([idsOf(feed), feed.rowCount], [[3, 4, 5], 3])
    feed.apply(
      commit([
        { op: 'leave', key: [3] },
        { op: 'delete', key: [5] },
      ]),
      NOW_MS,
    )
    assert.deepEqual([idsOf(feed), feed.rowCount], [[4], 1])
  })

  it('is a line for each change, the newest first, an update with what has changed', () => {
    const feed = feedOf([[1, 10]])
    feed.apply(commit([update(1, 7)]), NOW_MS + 12)
    feed.apply(commit([update(1, 7), { op: 'leave', key: [1] }]), NOW_MS)
    const [left, same, changed, note] = feed.lines
    assert.partialDeepStrictEqual(left, { kind: 'change', op: 'leave', key: '1', values: [] })
    assert.partialDeepStrictEqual(same, { op: 'update', values: [] })
    assert.partialDeepStrictEqual(changed, {
      op: 'update',
      values: [{ column: 'balance', from: '10', to: '7' }],
    })
    assert.partialDeepStrictEqual(note, { text: '1 row as of the snapshot. Changes follow.' })
  })

  it('is how long after its commit the last one came', () => {
    const feed = feedOf([[1, 10]])
    assert.equal(feed.lagMs, undefined)
    feed.apply(commit([update(1, 7)], NOW_MS - 12), NOW_MS)
    assert.equal(feed.lagMs, 12)
    // A clock that is behind gives no time before the commit.
    feed.apply(commit([update(1, 8)], NOW_MS + 5), NOW_MS)
    assert.equal(feed.lagMs, 0)
  })

  it('is a list in its order, and what a patch does at each place of it', () => {
    const feed = new LiveFeed()
    feed.isList = true
    const rows = [
      { id: 2, balance: 9 },
      { id: 1, balance: 7 },
      { id: 3, balance: 4 },
    ]
    feed.apply({ kind: 'rows', rows }, NOW_MS)
    feed.apply({ kind: 'snapshot', timestamp: NOW_MS * 1_000, digest: 'a' }, NOW_MS)
    const idsOfList = () => feed.first(10).map(({ row: { id } }) => id)
    assert.deepEqual([idsOfList(), feed.rowCount], [[2, 1, 3], 3])
    const splice = [
      [0, 0, [{ id: 4, balance: 12 }]],
      [2, 1, [{ id: 1, balance: 6 }]],
      [3, 1, []],
    ] as const
    feed.apply({ kind: 'patch', timestamp: NOW_MS * 1_000, digest: 'b', splice }, NOW_MS + 12)
    assert.deepEqual(
      [idsOfList(), feed.rowCount, feed.changeCount, feed.lagMs],
      [[4, 2, 1], 3, 3, 12],
    )
    const [left, changed, entered] = feed.lines
    assert.partialDeepStrictEqual(entered, {
      op: 'enter',
      key: 'place 1',
      values: [
        { column: 'id', to: '4' },
        { column: 'balance', to: '12' },
      ],
    })
    assert.partialDeepStrictEqual(changed, {
      op: 'update',
      key: 'place 3',
      values: [{ column: 'balance', from: '7', to: '6' }],
    })
    assert.partialDeepStrictEqual(left, {
      op: 'leave',
      key: 'place 4',
      values: [
        { column: 'id', to: '3' },
        { column: 'balance', to: '4' },
      ],
    })
    const [first, second, third] = feed.first(3)
    assert.deepEqual([first?.change?.op, second?.change], ['enter', undefined])
    assert.deepEqual([third?.change?.op, third?.change?.columns], ['update', new Set(['balance'])])
    const keys = feed.first(10).map(({ key }) => key[0])
    assert.equal(new Set(keys).size, 3, 'each row has a key of its own')
    feed.apply({ kind: 'reset' }, NOW_MS)
    assert.deepEqual([idsOfList(), feed.rowCount, feed.position], [[], 0, undefined])
    assert.match(JSON.stringify(feed.lines[0]), /cannot be told any more/)
  })

  it('is a count instead of lines where more come in a second, and all rows as they are', () => {
    const feed = feedOf([[1, 0]])
    const before = feed.lines.length
    for (let at = 1; at <= 1_000; at += 1) feed.apply(commit([update(1, at)]), NOW_MS)
    feed.note('something else')
    feed.apply(commit([{ op: 'delete', key: [1] }]), NOW_MS)
    assert.equal(feed.lines.length - before, LINES_PER_SECOND + 2)
    const [, count] = feed.lines
    assert.partialDeepStrictEqual(count, {
      kind: 'count',
      text: 'and 951 more in this second: 950 update, 1 delete',
    })
    assert.equal(feed.changeCount, 1_001)
    assert.deepEqual([feed.rate(NOW_MS + 1_000), feed.rate(NOW_MS + 2_000)], [1_001, 0])
    feed.apply(commit([update(1, 1)]), NOW_MS + 1_000)
    assert.equal(feed.rate(NOW_MS + 1_000), 1_001)
    assert.equal(feed.lines[0]?.kind, 'change')
  })

  it('is bounded, whatever comes', () => {
    const feed = feedOf(Array.from({ length: KEPT_ROWS_MAX + 10 }, (_, id) => [id, 0] as const))
    assert.equal(feed.rowCount, KEPT_ROWS_MAX + 10)
    assert.equal(feed.rows.first(Number.POSITIVE_INFINITY).length, KEPT_ROWS_MAX)
    const last = KEPT_ROWS_MAX + 5
    feed.apply(commit([update(last, 1)]), NOW_MS)
    assert.equal(feed.rows.get([last]), undefined)
    for (let second = 0; second < 100; second += 1) {
      for (let at = 0; at < 20; at += 1) {
        feed.apply(commit([update(1, second * 20 + at)]), NOW_MS + second * 1_000)
      }
    }
    assert.equal(feed.lines.length, LINES_MAX)
  })

  it('forgets its rows where changes were missed', () => {
    const feed = feedOf([[1, 10]])
    feed.apply({ kind: 'reset' }, NOW_MS)
    assert.deepEqual([feed.rowCount, idsOf(feed), feed.position], [0, [], undefined])
    assert.match(JSON.stringify(feed.lines[0]), /does not keep any more/)
  })
})
