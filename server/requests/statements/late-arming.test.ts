// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import test, { type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createParser } from '../../../parser/parser.ts'
import { type Clock, openStorage, StorageError, systemClock } from '../../../storage/storage.ts'
import { nextTurns } from '../../../test/event-loop-turns.ts'
import { executionDeps } from '../../../test/server/execution-deps.ts'
import type { ClientKey } from '../../guard/budgets/client-key.ts'
import { Shares } from '../../guard/budgets/shares.ts'
import { TurnQueue, Turns, turnTaker } from '../../guard/budgets/turns.ts'
import { ALL_LIMITS } from '../../limits.ts'
import { ConflictLog } from '../../operations/conflicts/conflict-log.ts'
import { AnswerWriter } from '../answers/answer-text.ts'
import type { QueryOutcome } from '../answers/query-answer.ts'
import type { QueryRequest } from '../prepared/query-request.ts'
import { RunningRequest } from '../prepared/running-request.ts'
import { RunningRequests } from '../prepared/running-requests.ts'
import { Attempts } from '../transactions/attempt.ts'
import { OneAtATime } from './one-at-a-time.ts'
import { StatementExecution } from './statement-execution.ts'
import { StatementRunner } from './statement-runner.ts'

const GET = 'GET id, balance FROM account WHERE id = :id'
const SET = 'SET balance = :n ON account WHERE id = :id'
const ADD = 'SET balance = balance + :n ON account WHERE id = :id'

/** On which no turn lasts, and no timestamp has to be waited for. */
const micros = systemClock.wallMicros()
const STANDING_CLOCK: Clock = { ...systemClock, wallMicros: () => micros, monotonicMs: () => 0 }

/** A runner over a store with two accounts, and the requests that it armed. */
async function given(t: TestContext, shares = new Shares(), clock = STANDING_CLOCK) {
  const storage = await openStorage({ engine: 'memory', clock: STANDING_CLOCK })
  t.after(() => storage.close())
  const requests = new RunningRequests({ shares })
  const parser = createParser()
  const writer = new AnswerWriter()
  const parts = { ...executionDeps(storage), clock, shares, parser, writer }
  const audit = { changed: () => {} }
  const conflicts = new ConflictLog(STANDING_CLOCK)
  const runner = new StatementRunner({
    ...parts,
    audit,
    execution: new StatementExecution(parts),
    attempts: new Attempts({ ...parts, conflicts }),
    sessions: undefined,
    cursors: undefined,
  } as never)
  const armed: string[] = []
  const keeper = {
    shares,
    turnQueue: new TurnQueue(clock),
    limitsOf: () => ({}),
    armed: (request: RunningRequest) => {
      armed.push(request.operation)
      requests.armed(request)
    },
    ended: (request: RunningRequest) => requests.ended(request),
  }
  /** Without a promise where the request did not have to wait. */
  const start = (request: QueryRequest, response?: EventEmitter & { destroyed?: boolean }) => {
    const running = new RunningRequest({
      caller: { client: 'somebody' as ClientKey },
      about: { operation: request.sql ?? 'statements' },
      response: response as unknown as ServerResponse,
      takesShare: true,
      keeper,
    })
    const outcome = runner.run(request, running, {})
    if (outcome instanceof Promise) {
      running.armWaiting()
      outcome.then(end, end)
    } else end()
    function end() {
      running.end()
    }
    return outcome
  }
  const run = async (request: QueryRequest, response?: EventEmitter & { destroyed?: boolean }) =>
    (await start(request, response)) as QueryOutcome
  await run({ sql: 'CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL)' })
  for (const id of ['ann', 'bob']) await run({ sql: SET, params: { id, n: 1 } })
  await run({ sql: ADD, params: { id: 'ann', n: 0 } })
  armed.length = 0
  return { storage, requests, turnQueue: keeper.turnQueue, armed, start, run }
}

const LONG_MS = 100
/** `uuid()` is what takes long. */
const COSTLY = 'GET uuid() AS u FROM account WHERE id = :id'

/** As `given`, where each `uuid()` takes so long; and in which turns of the event loop they ran. */
async function givenCostly(t: TestContext) {
  let nowMs = 0
  const turns: number[] = []
  const turn = nextTurns(t)
  const passMs = (ms: number) => {
    nowMs += ms
  }
  const clock = {
    ...STANDING_CLOCK,
    monotonicMs: () => nowMs,
    wallMicros: () => {
      passMs(LONG_MS)
      turns.push(turn.count)
      return micros
    },
  }
  return { ...(await given(t, new Shares(), clock)), turns, passMs }
}

const rowsOf = ({ results }: QueryOutcome) => results.map(({ rows }) => rows)

const READS: readonly QueryRequest[] = [
  { sql: GET, params: { id: 'ann' } },
  { sql: GET, params: { id: 'nobody' } },
  { sql: 'GET id FROM account WHERE id IN :ids', params: { ids: ['bob', 'x', 'ann'] } },
  { sql: GET, params: { id: 'ann' }, timeoutMs: 50, integers: 'string' },
  { sql: 'SCAN * FROM account WHERE id >= :id', params: { id: 'b' } },
  { sql: 'SCAN id FROM account WHERE id IN :ids', params: { ids: ['bob', 'x'] } },
]

for (const read of READS) {
  test(`it is read in the turn in which it arrives, unarmed, as after a wait: ${JSON.stringify(read)}`, async (t) => {
    const { armed, start, run, turnQueue } = await given(t)
    const atOnce = start(read)
    assert.ok(!(atOnce instanceof Promise))
    assert.deepEqual(armed, [])
    const before = new RunningRequest()
    const waiting = turnQueue.first(before)
    const late = start(read)
    assert.ok(late instanceof Promise)
    assert.deepEqual(armed, [read.sql])
    await waiting
    assert.deepEqual(rowsOf((await late) as QueryOutcome), rowsOf(atOnce as QueryOutcome))
    await run(read)
    assert.equal(armed.length, 1)
  })
}

test('a SET is armed before its commit, and one that reads its row no sooner', async (t) => {
  const { requests, armed, start, run } = await given(t)
  for (const sql of [SET, ADD]) {
    const written = start({ sql, params: { id: 'ann', n: 2 } })
    assert.deepEqual(armed.splice(0), [sql])
    assert.deepEqual(
      requests.list().map(({ state }) => state),
      ['committing'],
    )
    const { commitTimestamp, readTimestamp, attempts } = (await written) as QueryOutcome
    assert.ok(commitTimestamp !== null && commitTimestamp > readTimestamp)
    assert.equal(attempts, 1)
    assert.deepEqual(requests.list(), [])
  }
  assert.deepEqual(rowsOf(await run({ sql: GET, params: { id: 'ann' } })), [[['ann', 4n]]])
})

test('a SET that finds no share left is refused, and writes nothing', async (t) => {
  const shares = new Shares({ requestsMax: 4 })
  const { run } = await given(t, shares)
  const client = 'somebody' as ClientKey
  const held = [1, 2, 3].map(() => shares.requests.take(client))
  await assert.rejects(run({ sql: SET, params: { id: 'ann', n: 9 } }), {
    code: 'client_overloaded',
  })
  for (const _ of held) shares.requests.giveBack(client)
  assert.deepEqual(rowsOf(await run({ sql: GET, params: { id: 'ann' } })), [[['ann', 1n]]])
})

test('a BEGIN that finds no share left is refused, and opens nothing', async (t) => {
  const shares = new Shares({ requestsMax: 4 })
  const { storage, run } = await given(t, shares)
  const client = 'somebody' as ClientKey
  for (let n = 0; n < 3; n += 1) shares.requests.take(client)
  await assert.rejects(run({ sql: 'BEGIN' }), { code: 'client_overloaded' })
  assert.equal((await storage.status()).openTransactions, 0)
})

test('a client that left before its SET was armed has changed nothing', async (t) => {
  const { run } = await given(t)
  const gone = Object.assign(new EventEmitter(), { destroyed: true })
  await assert.rejects(run({ sql: SET, params: { id: 'ann', n: 9 } }, gone), {
    name: 'ClientDisconnected',
  })
  assert.deepEqual(rowsOf(await run({ sql: GET, params: { id: 'ann' } })), [[['ann', 1n]]])
})

test('a request that waits is refused where no share is left, and its transaction ends', async (t) => {
  const shares = new Shares({ requestsMax: 4 })
  const { storage, run } = await given(t, shares)
  const client = 'somebody' as ClientKey
  for (let n = 0; n < 3; n += 1) shares.requests.take(client)
  await assert.rejects(run({ sql: 'SCAN count(*) AS n FROM account' }), {
    code: 'client_overloaded',
  })
  assert.equal((await storage.status()).openTransactions, 0)
})

test('a SET that meets a conflict runs again; one of unknown outcome does not', async (t) => {
  const { storage, run } = await given(t)
  const begin = storage.begin.bind(storage)
  let begun = 0
  const failFirst = (code: 'write_conflict' | 'commit_outcome_unknown') => {
    begun = 0
    storage.begin = (options) => {
      const transaction = begin(options)
      begun += 1
      if (begun > 1 || transaction instanceof Promise) return transaction
      transaction.commit = async () => {
        transaction.rollback()
        throw new StorageError(code, 'No.', { transaction: transaction.id })
      }
      return transaction
    }
  }
  failFirst('write_conflict')
  const { attempts } = await run({ sql: SET, params: { id: 'ann', n: 5 } })
  assert.deepEqual([attempts, begun], [2, 2])
  failFirst('commit_outcome_unknown')
  await assert.rejects(run({ sql: SET, params: { id: 'ann', n: 6 } }), {
    code: 'commit_outcome_unknown',
    message: /read before you write again/,
  })
  assert.equal(begun, 1)
  storage.begin = begin
  assert.deepEqual(rowsOf(await run({ sql: GET, params: { id: 'ann' } })), [[['ann', 5n]]])
})

test('a hundred SETs at once of one row all commit, each with a stamp of its own', async (t) => {
  const { run } = await given(t)
  const written = await Promise.all(
    Array.from({ length: 100 }, (_, n) => run({ sql: SET, params: { id: 'bob', n } })),
  )
  const stamps = written.map(({ commitTimestamp }) => Number(commitTimestamp))
  assert.equal(new Set(stamps).size, 100)
  const last = BigInt(stamps.indexOf(Math.max(...stamps)))
  assert.deepEqual(rowsOf(await run({ sql: GET, params: { id: 'bob' } })), [[['bob', last]]])
})

const MANY = 24

function assertOneInATurn(turns: readonly number[]): void {
  assert.equal(turns.length, MANY)
  assert.equal(new Set(turns).size, MANY, `they ran in the turns ${turns}`)
}

test('of known texts that take long and arrive together one runs in each turn, whatever its kind', async (t) => {
  for (const sql of [COSTLY, "SET balance = 1 ON account WHERE id = :id IF uuid() = ''"]) {
    const { turns, run } = await givenCostly(t)
    await run({ sql, params: { id: 'ann' } }).catch(() => undefined)
    await setImmediate()
    turns.length = 0
    await Promise.all(Array.from({ length: MANY }, () => run({ sql, params: { id: 'ann' } })))
    assertOneInATurn(turns)
  }
})

test('those that have waited for one row do not all go on in one turn', async (t) => {
  const { turns, start, run } = await givenCostly(t)
  const written = start({ sql: SET, params: { id: 'ann', n: 7 } })
  const reads = Array.from({ length: MANY }, () => run({ sql: COSTLY, params: { id: 'ann' } }))
  await Promise.all([written, ...reads])
  assertOneInATurn(turns)
})

test('those that have waited for each other do not all go on in one turn', async (t) => {
  const { turns, turnQueue, run } = await givenCostly(t)
  const repetitions = new OneAtATime()
  const waiting = { signal: new AbortController().signal, turns: new Turns(turnQueue, turnTaker()) }
  const once = () => run({ sql: COSTLY, params: { id: 'ann' } })
  await Promise.all(Array.from({ length: MANY }, () => repetitions.run('key', waiting, once)))
  assertOneInATurn(turns)
})

test('in a turn that has lasted only what is known to be small begins, and that not for long', async (t) => {
  const { start, run, passMs } = await givenCostly(t)
  const small = { sql: GET, params: { id: 'ann' } }
  const costly = { sql: COSTLY, params: { id: 'ann' } }
  const unknown = { sql: `${GET} FOR UPDATE`, params: { id: 'ann' } }
  for (const each of [small, costly]) await run(each)
  /** Whether it is run at once by a server whose turn has lasted so long. */
  const isRunAfter = async (ms: number, request: QueryRequest): Promise<boolean> => {
    await setImmediate()
    await setImmediate()
    assert.ok(!(start(small) instanceof Promise))
    passMs(ms)
    const ran = start(request)
    await ran
    return !(ran instanceof Promise)
  }
  const { turnMsMax } = ALL_LIMITS
  assert.equal(await isRunAfter(turnMsMax, costly), true)
  assert.equal(await isRunAfter(2 * turnMsMax, costly), false)
  assert.equal(await isRunAfter(2 * turnMsMax, unknown), false)
  assert.equal(await isRunAfter(2 * turnMsMax, small), true)
  assert.equal(await isRunAfter(5 * turnMsMax, small), false)
})
