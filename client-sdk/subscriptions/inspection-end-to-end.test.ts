// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBreakingProxy } from '../../test/client-sdk/breaking-proxy.ts'
import { startRealServer } from '../../test/client-sdk/real-server.ts'
import { connect } from '../client.ts'
import { inspect } from '../inspect.ts'

const { url, db } = await startRealServer('--engine', 'memory', '--commit', 'two-phase')
await db.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL)')
await db.query('CREATE TABLE visit (at TIMESTAMP, n INTEGER, PRIMARY KEY (at, n))')
await db.query("INSERT INTO account (id, balance) VALUES ('bob', 10), ('joe', 2)")

const transfer = () =>
  db.execute([
    "SET balance = balance - 1 ON account WHERE id = 'bob'",
    "SET balance = balance + 1 ON account WHERE id = 'joe'",
  ])

test('rows are inspected: their cells come first, and then each step of a transfer', async () => {
  await using inspection = inspect(db, 'account', ['bob', 'joe'])
  const { value: first } = await inspection.next()
  assert.ok(first?.kind === 'cells')
  assert.deepEqual([first.scope, first.rows.map(({ key }) => key)], ['store', [['bob'], ['joe']]])
  const { commitTimestamp } = await transfer()
  const steps: string[] = []
  for await (const event of inspection) {
    assert.ok(event.kind === 'step')
    steps.push(`${event.step} ${event.key}`)
    if (event.step === 'commit') assert.equal(event.set.at(-1)?.timestamp, commitTimestamp)
    if (steps.length === 4) break
  }
  const wanted = ['commit bob', 'commitSecondary joe', 'prewrite bob', 'prewrite joe']
  assert.deepEqual(steps.toSorted(), wanted)
})

test('keys of any type and length name a row', async () => {
  const key = [new Date('2026-02-03T04:05:06Z'), 7n] as const
  await using inspection = inspect(db, 'visit', [key])
  const { value } = await inspection.next()
  assert.ok(value?.kind === 'cells')
  assert.deepEqual(value.rows[0]?.key, ['2026-02-03T04:05:06.000000Z', 7])
})

test('cells have every digit where the caller reads their texts', async () => {
  await db.query('CREATE TABLE document (id INTEGER PRIMARY KEY, text JSON)')
  await db.query(`INSERT INTO document (id, text) VALUES (1, '{"n": 9007199254740993}')`)
  const parse = (text: string) => text
  await using inspection = inspect(db, 'document', [1], { parse })
  const { value: first } = await inspection.next()
  assert.ok(first?.kind === 'cells')
  assert.match(String(first.rows), /\{"n":9007199254740993\}/)
  await db.query(`SET text = '{"n": 9007199254740995}' ON document WHERE id = 1`)
  const { value: step } = await inspection.next()
  assert.ok(step?.kind === 'step')
  assert.equal(String(step.key), '[1]')
  assert.match(String(step.set), /\{"n":9007199254740995\}/)
})

test('a lost connection begins again with the cells', async (t) => {
  const proxy = await startBreakingProxy(t, url)
  const other = connect({ url: proxy.url })
  t.after(() => other.close())
  await using inspection = inspect(other, 'account', ['bob'])
  const { value: first } = await inspection.next()
  proxy.breakAll()
  const { value: again } = await inspection.next()
  assert.ok(first?.kind === 'cells' && again?.kind === 'cells')
  assert.ok(again.timestamp > first.timestamp)
})

test('what the server refuses is thrown, and a loop that does not read is told what it has missed', async () => {
  const wrong = inspect(db, 'nothing', ['bob'])
  await assert.rejects(wrong.next(), { code: 'unknown_table' })
  await using inspection = inspect(db, 'account', ['bob', 'joe'])
  await inspection.next()
  for (let count = 0; count < 300; count += 1) await transfer()
  let seen = 0
  let leftOut = 0
  while (seen + leftOut < 1_200) {
    const { value } = await inspection.next()
    if (value?.kind === 'leftOut') leftOut += value.count
    else seen += 1
  }
  assert.ok(leftOut > 0)
  assert.equal(seen + leftOut, 1_200)
})
