// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { createParser } from '../../../parser/parser.ts'
import { type Clock, openStorage, systemClock } from '../../../storage/storage.ts'
import { executionDeps } from '../../../test/server/execution-deps.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { ServerError, StatementFailure } from '../../errors/server-error.ts'
import { Shares } from '../../guard/budgets/shares.ts'
import { TurnQueue } from '../../guard/budgets/turns.ts'
import { AnswerBudget } from '../answers/query-answer.ts'
import { RunningRequest } from '../prepared/running-request.ts'
import type { IndexedStatement } from '../prepared/script.ts'
import { StatementExecution } from './statement-execution.ts'

const LONG = 'a'.repeat(8_000_000)
const SQL = 'INSERT INTO t (id, v) VALUES (1, length(:t)), (2, length(:t)), (3, length(:t))'

/** Runs one statement on a clock of which each reading is ten milliseconds later. */
async function run(
  t: TestContext,
  timeoutMs: number,
  onTurn: (running: RunningRequest) => void = () => {},
) {
  const storage = await openStorage({ engine: 'memory' })
  t.after(() => storage.close())
  const server = await startTestServer(t, { deps: { storage } })
  await server.query('CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER)')
  let nowMs = 0
  const clock: Clock = { ...systemClock, monotonicMs: () => (nowMs += 10) }
  const turnQueue = new TurnQueue(systemClock)
  const next = turnQueue.next.bind(turnQueue)
  const keeper = { shares: new Shares(), turnQueue, limitsOf: () => ({}), armed() {}, ended() {} }
  const running = new RunningRequest({ keeper })
  let turns = 0
  turnQueue.next = (taker) => {
    turns += 1
    onTurn(running)
    return next(taker)
  }
  const execution = new StatementExecution({ ...executionDeps(storage), clock })
  const transaction = await storage.begin()
  const catalog = await storage.catalog(transaction)
  const [statement] = createParser().parseScript(SQL)
  const entry = { statement, parameters: { t: LONG }, index: 0 } as IndexedStatement
  const answer = new AnswerBudget()
  const paging = { page: undefined, check: () => undefined }
  try {
    await execution.run([entry], {
      request: { timeoutMs },
      transaction,
      catalog,
      paging,
      answer,
      running,
    } as never)
    return { turns, running, error: undefined }
  } catch (failure) {
    assert.ok(failure instanceof StatementFailure)
    return { turns, running, error: failure.cause }
  } finally {
    transaction.rollback()
    running.end()
  }
}

test('a statement whose time is over while a row is evaluated ends there', async (t) => {
  const { error, turns, running } = await run(t, 60)
  assert.ok(error instanceof ServerError && error.code === 'statement_timeout', `${error}`)
  assert.equal(running.signal.reason, error)
  assert.equal(turns, 0)
})

test('a statement of long rows gives up its turn between them, and ends when it is cancelled then', async (t) => {
  const whole = await run(t, 1_000_000)
  assert.equal(whole.error, undefined)
  assert.ok(whole.turns >= 2)
  const reason = new Error('The client left.')
  const { error, turns } = await run(t, 1_000_000, (running) => running.abort(reason))
  assert.equal(error, reason)
  assert.equal(turns, 1)
})

test('a request that takes much work is not done in the turn in which it arrives', async (t) => {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER)')
  await server.query('INSERT INTO t (id, v) VALUES (1, 1)')
  const sql = 'GET length(lower(:t)) AS n FROM t WHERE id = 1'
  // The second time the text is known, and the request simple.
  for (const t of ['a'.repeat(2_000_000), 'a'.repeat(2_000_000)]) {
    const { status, body } = await server.query(sql, { params: { t } })
    assert.equal(status, 200)
    assert.deepEqual(body.results[0].rows, [{ n: 2_000_000 }])
  }
  const tooMuch = `GET ${Array.from({ length: 9 }, () => 'length(lower(:t))').join(' + ')} AS n FROM t WHERE id = 1`
  for (let time = 0; time < 2; time += 1) {
    const { status, body } = await server.query(tooMuch, { params: { t: LONG } })
    assert.equal(status, 413)
    assert.equal(body.code, 'limit_exceeded')
    assert.equal(body.limit, 'rowWorkMax')
  }
})
