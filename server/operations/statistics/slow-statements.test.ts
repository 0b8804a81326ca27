// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { ManualClock } from '../../../test/manual-clock.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { readConfig } from '../../config.ts'
import { SlowStatements } from './slow-statements.ts'

function listLog() {
  const lines: Record<string, unknown>[] = []
  const log = pino(
    { base: null, timestamp: false },
    { write: (line) => lines.push(JSON.parse(line)) },
  )
  const slow = () => lines.filter(({ msg }) => msg === 'slow statement')
  return { log, slow }
}

test('a statement that takes long is a line with its shape and plan, and without its values', async (t) => {
  const { log, slow } = listLog()
  const server = await startTestServer(t, { flags: { slow: '1ms' }, deps: { log } })
  await server.query('CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER)')
  const values = Array.from({ length: 2_000 }, (_, id) => `(${id}, ${id})`).join(', ')
  await server.query(`INSERT INTO account (id, balance) VALUES ${values}`)
  await server.query('SCAN count(*) AS n FROM account USE PRIMARY KEY WHERE balance > 4711')
  const line = slow().find(({ shape }) => String(shape).startsWith('SCAN'))
  assert.ok(line !== undefined, JSON.stringify(slow()))
  assert.ok(Number(line.ms) >= 1)
  assert.deepEqual([line.level, line.rowsReturned, line.rowsWritten], [40, 1, 0])
  assert.deepEqual(line.plan, { table: 'account', key: 'PRIMARY KEY (id)', access: 'whole key' })
  assert.ok(!JSON.stringify(slow()).includes('4711'))
})

test('without the flag there are none, and it needs the statistics', async (t) => {
  const { log, slow } = listLog()
  const server = await startTestServer(t, { deps: { log } })
  await server.query('CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER)')
  assert.deepEqual(slow(), [])
  assert.throws(() => readConfig({ slow: '1s', 'statement-statistics': 'off' }), {
    message: /--slow needs --statement-statistics on/,
  })
})

test('ten lines a second, and how many were left out', async () => {
  const { log, slow } = listLog()
  const clock = new ManualClock()
  const statements = new SlowStatements(200, { clock, log })
  const run = { shape: 'GET', plan: undefined, rowsReturned: 1, rowsWritten: 0 }
  for (let n = 0; n < 25; n += 1) statements.met({ ...run, ms: 300 + n })
  assert.equal(slow().length, 10)
  await clock.advance(1_000)
  statements.met({ ...run, ms: 500, error: 'statement_timeout' })
  const last = slow().at(-1)
  assert.deepEqual([slow().length, last?.leftOut, last?.error], [11, 15, 'statement_timeout'])
})
