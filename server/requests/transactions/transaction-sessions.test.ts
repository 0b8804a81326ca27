// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openStorage, StorageError } from '../../../storage/storage.ts'
import { ManualClock } from '../../../test/manual-clock.ts'
import type { ServerError } from '../../errors/server-error.ts'
import { clientKeyOf } from '../../guard/budgets/client-key.ts'
import { Shares } from '../../guard/budgets/shares.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import { RunningRequest } from '../prepared/running-request.ts'
import { EndedTransactions } from './ended-transactions.ts'
import type { TransactionSession } from './transaction-session.ts'
import { TransactionSessions } from './transaction-sessions.ts'

const A = clientKeyOf('127.0.0.2')
const B = clientKeyOf('127.0.0.3')
const TIMEOUTS = { idleMsMax: 30_000, totalMsMax: 300_000 }

async function memorySessions(t: { after(step: () => unknown): void }) {
  const clock = new ManualClock()
  const storage = await openStorage({ engine: 'memory', clock })
  const sessions = new TransactionSessions(
    {
      storage,
      clock,
      shares: new Shares({ openTransactionsMax: 80 }),
      ended: new EndedTransactions(),
    },
    TIMEOUTS,
  )
  t.after(async () => {
    await sessions.close()
    await storage.close()
  })
  return { clock, storage, sessions }
}

test('more transactions than may be open are refused, until one ends', async (t) => {
  const { sessions } = await memorySessions(t)
  const open = (client = A) => sessions.open({ client }, { readOnly: false })
  const opened = await Promise.all(Array.from({ length: 60 }, () => open()))
  await assert.rejects(open(), { code: 'client_overloaded' })
  await sessions.commit(opened[0] as TransactionSession)
  await open()
  await open(B)
})

test('an error that asks for a new run ends the transaction, any other does not', async (t) => {
  const { sessions } = await memorySessions(t)
  const conflict = new StorageError('write_conflict', 'It was written.')
  const { id } = await sessions.open({ client: A }, { readOnly: false })
  const failing = (error: Error) =>
    sessions.run(id, new RunningRequest(), () => Promise.reject(error))
  await assert.rejects(failing(new StorageError('unknown_table', 'No.')), { code: 'unknown_table' })
  await assert.rejects(failing(conflict), conflict)
  await assert.rejects(failing(conflict), { code: 'transaction_closed' })
  const ending = await sessions.outcome({ id, owner: undefined })
  assert.deepEqual('kind' in ending && ending.kind === 'failed' && ending.reason, 'write_conflict')
})

test('a transaction does not expire while a request is running inside', async (t) => {
  const { clock, sessions } = await memorySessions(t)
  const { id } = await sessions.open({ client: A }, { readOnly: false })
  const { result } = await sessions.run(id, new RunningRequest(), async () => {
    await clock.advance(TIMEOUTS.idleMsMax * 2)
    sessions.sweep()
    return 'done'
  })
  assert.equal(result, 'done')
  assert.equal(await sessions.commit({ id, owner: undefined }), null)
})

test('a rollback stops the statement that is running inside, and its writes are gone', async (t) => {
  const { sessions, storage } = await memorySessions(t)
  const { id } = await sessions.open({ client: A }, { readOnly: false })
  const running = new RunningRequest()
  const stopped = Promise.withResolvers<void>()
  running.signal.addEventListener('abort', () => stopped.resolve())
  const statement = sessions.run(
    id,
    running,
    async ({ transaction }) => {
      transaction.put(new Uint8Array([1]), 'a', new Uint8Array([1]))
      await stopped.promise
    },
    'commit',
  )
  while (!sessions.list(undefined, true).some(({ busy }) => busy)) await setImmediate()
  await sessions.rollBack({ id, owner: undefined })
  assert.equal((running.signal.reason as ServerError).code, 'statement_cancelled')
  await assert.rejects(statement, { code: 'transaction_closed' })
  await sessions.rollBack({ id, owner: undefined })
  assert.equal((await storage.status()).bufferedBytes, 0)
  const ending = await sessions.outcome({ id, owner: undefined })
  assert.deepEqual('kind' in ending && ending.kind, 'rolledBack')
})

test('a rollback waits for a commit under way, and says that it is committed', async (t) => {
  const { sessions } = await memorySessions(t)
  const { id, transaction } = await sessions.open({ client: A }, { readOnly: false })
  transaction.put(new Uint8Array([1]), 'a', new Uint8Array([1]))
  const committing = sessions.commit({ id, owner: undefined })
  const rolledBack = sessions.rollBack({ id, owner: undefined })
  await assert.rejects(rolledBack, { code: 'transaction_closed' })
  await rolledBack.catch(({ fields }) => assert.equal(fields.outcome, 'committed'))
  assert.notEqual(await committing, null)
})

test('an unknown outcome is told as such, and settled by asking the store again', async (t) => {
  const { sessions, storage } = await memorySessions(t)
  const { id, transaction } = await sessions.open({ client: A }, { readOnly: false })
  const commit = t.mock.method(transaction, 'commit', async () => {
    throw new StorageError('commit_outcome_unknown', 'Lost.', { transaction: id })
  })
  await assert.rejects(sessions.commit({ id, owner: undefined }), {
    code: 'commit_outcome_unknown',
    fields: { transaction: id },
  })
  assert.equal(commit.mock.callCount(), 1)
  t.mock.method(storage, 'outcomeOf', async () => ({ kind: 'committed', commitTs: 77 }))
  assert.equal(await sessions.commit({ id, owner: undefined }), 77)
})

test('how a transaction ended is remembered for outcomeMemoryMs, and then the store is asked', async (t) => {
  const { clock, storage, sessions } = await memorySessions(t)
  const { id } = await sessions.open({ client: A }, { readOnly: false })
  const address = { id, owner: undefined }
  // To the cache a moment of 0 is none.
  await clock.advance(1)
  assert.equal(await sessions.commit(address), null)
  const ofStore = { kind: 'committed', commitTs: 77 } as const
  t.mock.method(storage, 'outcomeOf', async () => ofStore)
  await clock.advance(SERVER_LIMITS.outcomeMemoryMs / 2)
  assert.equal(await sessions.commit(address), null)
  await clock.advance(SERVER_LIMITS.outcomeMemoryMs + 1)
  assert.deepEqual(await sessions.outcome(address), ofStore)
})

test('closing rolls back what is open', async (t) => {
  const { sessions } = await memorySessions(t)
  const { transaction } = await sessions.open({ client: A }, { readOnly: false })
  await sessions.close()
  assert.equal(transaction.state, 'rolledBack')
  assert.equal(sessions.count, 0)
})
