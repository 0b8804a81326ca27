// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AbortCause, TransactionAborted } from '../engine.ts'
import { attempt, type Call } from './attempts.ts'
import { Tally } from './tally.ts'

/** Fails in these ways, one after the other, and then answers 'done'. */
function failing(...aborts: TransactionAborted[]) {
  return async () => {
    const abort = aborts.shift()
    if (abort !== undefined) throw abort
    return 'done'
  }
}

function run(call: Omit<Call<string>, 'name'>, tally = new Tally()) {
  const deps = { tally: () => tally, backOff: { next: () => -0.99 }, engineUp: async () => {} }
  return attempt({ name: 'Trade-Order', ...call }, deps)
}

function tradeOrders(tally: Tally) {
  return tally.figures().find(({ name }) => name === 'Trade-Order')
}

test('a transaction that meets conflicts runs again, and each attempt is counted by its cause', async () => {
  const tally = new Tally()
  const work = failing(new TransactionAborted('writeConflict'), new TransactionAborted('locked'))
  const attempted = await run({ work }, tally)
  assert.equal(attempted.kind === 'ended' && attempted.result, 'done')
  assert.deepEqual(tradeOrders(tally)?.aborts, { writeConflict: 1, locked: 1 })
  assert.equal(tradeOrders(tally)?.retries, 2)
})

const many = (count: number, abort: AbortCause) =>
  Array.from({ length: count }, () => new TransactionAborted(abort))

test('it is given up after twenty attempts; lost connections count apart', async () => {
  assert.equal((await run({ work: failing(...many(20, 'timeout')) })).kind, 'gaveUp')
  const crashes = [
    ...many(19, 'connectionLost'),
    ...many(1, 'timeout'),
    ...many(19, 'connectionLost'),
  ]
  assert.equal((await run({ work: failing(...crashes) })).kind, 'ended')
})

test('an engine that is gone ends the run', async () => {
  const refused = () =>
    new TransactionAborted('connectionLost', { cause: new Error('connect ECONNREFUSED') })
  const work = failing(...Array.from({ length: 20 }, refused))
  await assert.rejects(
    run({ work }),
    /^EngineGone: Trade-Order: the connection was lost 20 times in a row, at last: connect ECONNREFUSED$/,
  )
})

test('a commit whose answer was lost is looked for before it runs again', async () => {
  const lost = () => new TransactionAborted('connectionLost', { outcome: 'unknown' })
  const settled: Array<string | undefined> = [undefined, 'found']
  const work = failing(lost(), lost(), lost())
  const attempted = await run({ work, settle: async () => settled.shift() })
  assert.equal(attempted.kind === 'ended' && attempted.result, 'found')
  assert.deepEqual(settled, [])
})
