// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { SubscriberChecker } from './check-subscriber.ts'
import type { ReceivedChange, ReceivedCommit, SubscriberRecord } from './feed-subscriber.ts'
import { FeedSubscriber } from './feed-subscriber.ts'
import type { PastCommit } from './row-history.ts'
import { WATCHED_QUERIES, type WatchedQuery, type WatchedRow } from './watched-table.ts'

const ALL = WATCHED_QUERIES[0] as WatchedQuery
const ANNS = WATCHED_QUERIES.find(({ params }) => params?.[0] === 'ann') as WatchedQuery

const row = (id: number, owner: string, amount: number): WatchedRow => {
  return { id, owner, amount, body: null }
}
const seen = (id: number, owner: string, amount: number): Omit<ReceivedChange, 'op'> => {
  return { key: [id], row: { id, owner, amount } }
}

/** 10: ann's 1 and bob's 2 come; 20: both change hands; 30: 1 is deleted. */
const HISTORY: Array<PastCommit<WatchedRow>> = [
  {
    commitTs: 10,
    rows: new Map([
      [1, { after: row(1, 'ann', 5) }],
      [2, { after: row(2, 'bob', 6) }],
    ]),
  },
  {
    commitTs: 20,
    rows: new Map([
      [1, { before: row(1, 'ann', 5), after: row(1, 'bob', 5) }],
      [2, { before: row(2, 'bob', 6), after: row(2, 'ann', 7) }],
    ]),
  },
  { commitTs: 30, rows: new Map([[1, { before: row(1, 'bob', 5) }]]) },
]

const COMMITS = [
  {
    commitTs: 10,
    changes: [
      { op: 'insert', ...seen(1, 'ann', 5) },
      { op: 'insert', ...seen(2, 'bob', 6) },
    ],
  },
  {
    commitTs: 20,
    changes: [
      { op: 'update', ...seen(1, 'bob', 5) },
      { op: 'update', ...seen(2, 'ann', 7) },
    ],
  },
  { commitTs: 30, changes: [{ op: 'delete', key: [1] }] },
] as const satisfies readonly ReceivedCommit[]

function problemsOf(record: Partial<SubscriberRecord>, end = 30): string[] {
  return new SubscriberChecker(HISTORY, end).check({
    query: ALL,
    beginning: { since: 0 },
    begunAt: 0,
    snapshot: undefined,
    commits: COMMITS,
    violations: [],
    ...record,
  })
}

test('a subscriber that was told what happened is found right, from wherever it began', () => {
  assert.deepEqual(problemsOf({}), [])
  assert.deepEqual(problemsOf({ begunAt: 10, commits: COMMITS.slice(1) }), [])
  assert.deepEqual(problemsOf({ begunAt: 30, commits: [] }), [])
  const snapshot = [seen(1, 'bob', 5), seen(2, 'ann', 7)]
  const begun = { beginning: { snapshot: true }, begunAt: 20, snapshot } as const
  assert.deepEqual(problemsOf({ ...begun, commits: COMMITS.slice(2) }), [])
})

test('rows that come and go by their values are seen as the query sees them', () => {
  const commits = [
    { commitTs: 10, changes: [{ op: 'insert', ...seen(1, 'ann', 5) }] },
    {
      commitTs: 20,
      changes: [
        { op: 'leave', key: [1] },
        { op: 'enter', ...seen(2, 'ann', 7) },
      ],
    },
  ]
  assert.deepEqual(problemsOf({ query: ANNS, commits }), [])
})

test('each way of being wrong has its words', () => {
  const [first, second, third] = COMMITS
  const withSecond = (changes: readonly ReceivedChange[]) =>
    problemsOf({ commits: [first, { commitTs: 20, changes }, third] })
  const [one, two] = second.changes
  assert.deepEqual(problemsOf({ commits: [first, third] }), ['missing: 20 before 30'])
  assert.deepEqual(problemsOf({ commits: [first, second] }), ['missing: 30 at the end'])
  assert.deepEqual(problemsOf({ commits: [first, second, second, third] }), ['doubled: 20'])
  assert.deepEqual(problemsOf({ commits: [second, first, third] }), ['missing: 10 before 20'])
  assert.deepEqual(problemsOf({ begunAt: 10, commits: COMMITS }), ['out of order: 10 behind 10'])
  const foreign = { commitTs: 25, changes: third.changes }
  assert.deepEqual(problemsOf({ commits: [first, second, foreign] }), ['invented: 25'])
  assert.deepEqual(withSecond([one]), ['not atomic: row [2] is missing in 20'])
  assert.deepEqual(withSecond([one, two, two]), ['row [2] twice in 20'])
  assert.match(withSecond([one, { ...two, op: 'enter' }])[0] ?? '', /^wrong row .* in 20$/)
  assert.match(withSecond([one, { ...two, ...seen(2, 'ann', 8) }])[0] ?? '', /^wrong row/)
  assert.match(withSecond([one, two, { op: 'delete', key: [9] }])[0] ?? '', /^wrong row/)
  assert.deepEqual(problemsOf({ begunAt: undefined }), ['it never began'])
  const begun = { beginning: { snapshot: true }, begunAt: 20, commits: [third] } as const
  assert.deepEqual(problemsOf(begun), ['its snapshot never ended'])
  const snapshot = [seen(2, 'ann', 7)]
  assert.deepEqual(problemsOf({ ...begun, snapshot }), ['wrong snapshot at 20'])
})

test('a subscriber drops a commit without its last frame, and asks for it again', () => {
  const subscriber = new FeedSubscriber(ALL, { since: 3 })
  assert.equal(subscriber.request().since, 3)
  const change = (commitTimestamp: number, last: boolean) =>
    subscriber.take({ type: 'change', commitTimestamp, changes: [third], last })
  const third = COMMITS[2].changes[0]
  subscriber.take({ type: 'subscribed', timestamp: 3 })
  change(10, true)
  change(20, false)
  subscriber.disconnected()
  assert.equal(subscriber.request().since, 10)
  subscriber.take({ type: 'subscribed', timestamp: 10 })
  change(20, false)
  change(20, true)
  subscriber.take({ type: 'progress', timestamp: 25 })
  assert.deepEqual([subscriber.position, subscriber.violations], [25, []])
  assert.deepEqual(
    subscriber.commits.map(({ commitTs, changes }) => [commitTs, changes.length]),
    [
      [10, 1],
      [20, 2],
    ],
  )
})

test('a subscriber notes frames that should not come', () => {
  const subscriber = new FeedSubscriber(ALL, { snapshot: true })
  const violationsAfter = (frame: object) => {
    subscriber.take(frame)
    return subscriber.violations.splice(0)
  }
  assert.deepEqual(violationsAfter({ type: 'rows', rows: [] }), ['rows before subscribed'])
  assert.deepEqual(violationsAfter({ type: 'subscribed', timestamp: 5 }), [])
  const open = { type: 'change', commitTimestamp: 7, changes: [], last: false }
  assert.deepEqual(violationsAfter(open), ['a change inside the snapshot'])
  assert.deepEqual(violationsAfter({ ...open, commitTimestamp: 8 }), [
    'a change inside the snapshot',
    '8 inside the commit 7',
  ])
  assert.deepEqual(violationsAfter({ type: 'snapshotEnd', timestamp: 6 }), [
    'snapshotEnd inside a commit',
    'a snapshot of 5 and 6',
  ])
  assert.deepEqual(violationsAfter({ ...open, commitTimestamp: 8, last: true }), [])
  assert.deepEqual(violationsAfter({ type: 'progress', timestamp: 4 }), ['progress 4 behind 8'])
  assert.deepEqual(violationsAfter({ type: 'error', code: 'internal' }), ['error internal '])
})
