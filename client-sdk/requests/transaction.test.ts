// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  answerOf,
  type Exchange,
  problem,
  startScriptedServer,
} from '../../test/client-sdk/scripted-server.ts'
import { connect, PercoliteError } from '../client.ts'

const OPENED = { transaction: '100.aa', readTimestamp: 100, expiresAt: '2026-01-31T12:00:00Z' }
const BEGIN: Exchange = { expect: 'POST /v1/transactions', answer: [201, OPENED] }
const STATEMENT: Exchange = {
  expect: 'POST /v1/transactions/100.aa/query',
  answer: answerOf([], []),
}
const COMMIT = 'POST /v1/transactions/100.aa/commit'
const ROLLBACK: Exchange = { expect: 'DELETE /v1/transactions/100.aa' }
const OUTCOME = 'GET /v1/transactions/100.aa'
const COMMITTED: Exchange = { expect: COMMIT, answer: [200, { commitTimestamp: 200 }] }
const CONFLICT = problem(409, 'write_conflict', { retryable: true, table: 't', key: ['bob'] })
const outcome = (status: string, more: object = {}): Exchange => ({
  expect: OUTCOME,
  answer: [200, { transaction: '100.aa', status, ...more }],
})
const UNKNOWN = problem(503, 'commit_outcome_unknown', { transaction: '100.aa' })

/** Plays the script against one transaction that sends one statement and answers 'done'. */
async function play(
  t: Parameters<typeof startScriptedServer>[0],
  script: readonly Exchange[],
  settleMs = 5_000,
) {
  const server = await startScriptedServer(t, script)
  let runs = 0
  // Only who waits in vain is impatient: a busy machine may take longer than this for all others.
  const timeoutMs = script.some(({ silent }) => silent) ? 1_000 : 20_000
  const ended = await connect({ url: server.url, timeoutMs })
    .transaction(
      async (tx) => {
        runs += 1
        await tx.query('SET …')
        return 'done'
      },
      { settleMs },
    )
    .catch((error: unknown) => error)
  server.assertPlayed()
  return { ended, runs }
}

test('a transaction opens, runs its statements, commits and answers what its work answers', async (t) => {
  assert.deepEqual(await play(t, [BEGIN, STATEMENT, COMMITTED]), { ended: 'done', runs: 1 })
})

test('a commit that conflicts runs the whole transaction again', async (t) => {
  const script = [BEGIN, STATEMENT, { expect: COMMIT, answer: CONFLICT }]
  const { ended, runs } = await play(t, [...script, ...script, BEGIN, STATEMENT, COMMITTED])
  assert.deepEqual([ended, runs], ['done', 3])
})

test('a statement that conflicts rolls back and runs the whole transaction again', async (t) => {
  const { ended, runs } = await play(t, [
    ...[BEGIN, { expect: STATEMENT.expect, answer: CONFLICT }, ROLLBACK],
    ...[BEGIN, STATEMENT, COMMITTED],
  ])
  assert.deepEqual([ended, runs], ['done', 2])
})

test('a connection lost before the commit was sent runs the transaction again', async (t) => {
  const { ended, runs } = await play(t, [
    { expect: BEGIN.expect, drop: true },
    ...[BEGIN, { expect: STATEMENT.expect, drop: true as const }, ROLLBACK],
    ...[BEGIN, STATEMENT, COMMITTED],
  ])
  assert.deepEqual([ended, runs], ['done', 2])
})

test('a transaction that always conflicts gives up after its tries with the conflict', async (t) => {
  const script = [BEGIN, STATEMENT, { expect: COMMIT, answer: CONFLICT }]
  const { ended, runs } = await play(t, Array(8).fill(script).flat())
  assert.equal(runs, 8)
  assert.ok(ended instanceof PercoliteError)
  assert.equal(ended.code, 'write_conflict')
  assert.deepEqual(ended.fields.key, ['bob'])
})

test('what the work throws rolls back and is thrown on, once', async (t) => {
  const server = await startScriptedServer(t, [BEGIN, ROLLBACK])
  const db = connect({ url: server.url })
  await assert.rejects(
    db.transaction(() => {
      throw new Error('not today')
    }),
    /not today/,
  )
  server.assertPlayed()
})

test('an error that running again cannot mend is thrown at once', async (t) => {
  const { ended, runs } = await play(t, [
    ...[BEGIN, { expect: STATEMENT.expect, answer: problem(400, 'type_mismatch') }, ROLLBACK],
  ])
  assert.equal((ended as PercoliteError).code, 'type_mismatch')
  assert.equal(runs, 1)
})

test('work that swallows the conflict which ended its transaction is run again', async (t) => {
  const closed = problem(409, 'transaction_closed')
  const server = await startScriptedServer(t, [
    ...[BEGIN, { expect: STATEMENT.expect, answer: CONFLICT }, { expect: COMMIT, answer: closed }],
    ...[BEGIN, STATEMENT, COMMITTED],
  ])
  let runs = 0
  await connect({ url: server.url }).transaction(async (tx) => {
    runs += 1
    await tx.query('SET …').catch(() => undefined)
  })
  assert.equal(runs, 2)
  server.assertPlayed()
})

for (const [what, lost] of [
  ['is dropped', { drop: true }],
  ['never comes', { silent: true }],
  ['is a proxy’s page', { answer: [502, 'Bad gateway'] }],
  ['says that the outcome is unknown', { answer: UNKNOWN }],
] as ReadonlyArray<readonly [string, Omit<Exchange, 'expect'>]>) {
  const sent = [BEGIN, STATEMENT, { expect: COMMIT, ...lost }]

  test(`an answer to commit that ${what}, of a commit that happened: it is not run again`, async (t) => {
    const script = [...sent, outcome('committed', { commitTimestamp: 200 })]
    assert.deepEqual(await play(t, script), { ended: 'done', runs: 1 })
  })

  test(`an answer to commit that ${what}, of a commit that did not happen: it is run again`, async (t) => {
    const script = [...sent, outcome('rolledBack'), BEGIN, STATEMENT, COMMITTED]
    assert.deepEqual(await play(t, script), { ended: 'done', runs: 2 })
  })
}

test('a lost commit that has not arrived is sent again, and only that', async (t) => {
  const script = [BEGIN, STATEMENT, { expect: COMMIT, drop: true as const }, outcome('active')]
  assert.deepEqual(await play(t, [...script, COMMITTED]), { ended: 'done', runs: 1 })
})

test('a lost commit that conflicts when sent again runs the whole transaction again', async (t) => {
  const { ended, runs } = await play(t, [
    ...[BEGIN, STATEMENT, { expect: COMMIT, drop: true as const }, outcome('active')],
    ...[{ expect: COMMIT, answer: CONFLICT }, BEGIN, STATEMENT, COMMITTED],
  ])
  assert.deepEqual([ended, runs], ['done', 2])
})

test('a lost commit is asked after until the server answers again', async (t) => {
  const { ended, runs } = await play(t, [
    ...[BEGIN, STATEMENT, { expect: COMMIT, drop: true as const }],
    { expect: OUTCOME, drop: true },
    { expect: OUTCOME, answer: problem(503, 'overloaded') },
    outcome('active'),
    { expect: COMMIT, answer: problem(409, 'transaction_busy') },
    outcome('committed', { commitTimestamp: null }),
  ])
  assert.deepEqual([ended, runs], ['done', 1])
})

test('a fault of the server proves nothing of a commit, which is asked after', async (t) => {
  const { ended, runs } = await play(t, [
    ...[BEGIN, STATEMENT, { expect: COMMIT, answer: problem(500, 'internal') }],
    outcome('committed', { commitTimestamp: null }),
  ])
  assert.deepEqual([ended, runs], ['done', 1])
})

for (const forgotten of [
  outcome('unknown'),
  { expect: OUTCOME, answer: problem(404, 'unknown_transaction') },
]) {
  test(`a lost commit that the server no longer knows (${forgotten.answer?.[0]}) is not run again`, async (t) => {
    const script = [BEGIN, STATEMENT, { expect: COMMIT, drop: true as const }, forgotten]
    const { ended, runs } = await play(t, script)
    assert.ok(ended instanceof PercoliteError)
    assert.equal(ended.code, 'commit_outcome_unknown')
    assert.equal(ended.retryable, false)
    assert.equal(ended.fields.transaction, '100.aa')
    assert.equal(runs, 1)
  })
}

test('a lost commit of a server that stays away is reported as unknown, and not run again', async (t) => {
  const server = await startScriptedServer(t, [BEGIN, { expect: COMMIT, drop: true }])
  let runs = 0
  const gone: typeof fetch = async (input, init) => {
    if (server.seen.length === 2) await server.stop()
    return fetch(input, init)
  }
  const db = connect({ url: server.url, fetch: gone })
  const work = () => {
    runs += 1
  }
  await assert.rejects(db.transaction(work, { settleMs: 100 }), { code: 'commit_outcome_unknown' })
  assert.equal(runs, 1)
})

test('a transaction that is left without a commit is rolled back', async (t) => {
  const server = await startScriptedServer(t, [BEGIN, STATEMENT, ROLLBACK])
  {
    await using tx = await connect({ url: server.url }).begin({ readOnly: true, asOf: 99 })
    assert.equal(tx.id, '100.aa')
    assert.equal(tx.readTimestamp, 100)
    await tx.sql`GET * FROM t WHERE id = ${1}`
  }
  server.assertPlayed()
  assert.deepEqual(server.seen[0]?.body, { readOnly: true, asOf: 99 })
})

test('a committed transaction knows when, takes nothing more, and is not rolled back', async (t) => {
  const server = await startScriptedServer(t, [BEGIN, COMMITTED])
  {
    await using tx = await connect({ url: server.url }).begin()
    await tx.commit()
    assert.equal(tx.commitTimestamp, 200)
    await assert.rejects(tx.query('SET …'), { code: 'transaction_closed' })
    await assert.rejects(tx.commit(), { code: 'transaction_closed' })
  }
  server.assertPlayed()
})

test('statements made at the same time go to the server one after the other', async (t) => {
  const server = await startScriptedServer(t, [
    ...[BEGIN, STATEMENT, STATEMENT, STATEMENT, COMMITTED],
  ])
  let open = 0
  let most = 0
  const counting: typeof fetch = async (input, init) => {
    open += 1
    most = Math.max(most, open)
    try {
      return await fetch(input, init)
    } finally {
      open -= 1
    }
  }
  await connect({ url: server.url, fetch: counting }).transaction(async (tx) => {
    await Promise.all(['a', 'b', 'c'].map((sql) => tx.query(sql)))
  })
  server.assertPlayed()
  assert.equal(most, 1)
  assert.deepEqual(
    server.seen.slice(1, 4).map((one) => (one.body as { sql: string }).sql),
    ['a', 'b', 'c'],
  )
})

test('a signal ends the tries, and rolls back what was open', async (t) => {
  const server = await startScriptedServer(t, [BEGIN, STATEMENT, ROLLBACK])
  const controller = new AbortController()
  const ended = connect({ url: server.url }).transaction(
    async (tx) => {
      await tx.query('SET …')
      controller.abort(new Error('enough'))
      await tx.query('SET …')
    },
    { signal: controller.signal },
  )
  await assert.rejects(ended, /enough/)
  server.assertPlayed()
})

test('a signal that comes between the work and the commit rolls back', async (t) => {
  const server = await startScriptedServer(t, [BEGIN, ROLLBACK])
  const controller = new AbortController()
  const ended = connect({ url: server.url }).transaction(
    () => controller.abort(new Error('enough')),
    { signal: controller.signal },
  )
  await assert.rejects(ended, /enough/)
  server.assertPlayed()
})
