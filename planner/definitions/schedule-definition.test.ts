// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { afterEach, beforeEach } from 'node:test'
import { StorageError } from '../../storage/errors.ts'
import { STORAGE_LIMITS } from '../../storage/limits.ts'
import { SqlSession } from '../../test/sql-session.ts'
import { PlanError } from '../plan-error.ts'

let session: SqlSession
beforeEach(async () => {
  session = await SqlSession.open(
    'CREATE TABLE job (name TEXT, time TIMESTAMP, note TEXT, PRIMARY KEY (name, time DESC))',
    'CREATE OBSERVER report ON job (note)',
  )
})
afterEach(() => session.close())

/** Runs a statement that is refused, and returns why. */
async function refusal(sql: string): Promise<Readonly<Record<string, unknown>>> {
  const error = await session.run(sql).catch((thrown: unknown) => thrown)
  assert.ok(error instanceof PlanError || error instanceof StorageError, sql)
  const { column } = error instanceof PlanError ? (error.position ?? {}) : {}
  return { ...error.fields, code: error.code, ...(column !== undefined && { at: column }) }
}

async function shown(): Promise<readonly unknown[][]> {
  return (await session.run('SHOW SCHEDULES')).rows.map((row) => row.slice(0, 7))
}

test('SHOW SCHEDULES tells of each, and SHOW CREATE TABLE makes it again', async () => {
  await session.run("CREATE SCHEDULE hourly EVERY '1 HOUR' RUN report")
  await session.run(
    "CREATE SCHEDULE \"at 3\" EVERY '1 day' AT '03:00' ZONE 'Europe/Zurich' RUN report MISSED ALL",
  )
  await session.run("CREATE SCHEDULE c CRON '0 3 * * MON' RUN report")
  await session.run("CREATE SCHEDULE IF NOT EXISTS c EVERY '5 minutes' RUN report")
  await session.run('ALTER SCHEDULE hourly PAUSE')
  assert.deepEqual(await shown(), [
    ['hourly', 'report', 'job', "EVERY '1 HOUR'", 'UTC', 'latest', 'paused'],
    ['at 3', 'report', 'job', "EVERY '1 day' AT '03:00'", 'Europe/Zurich', 'all', 'active'],
    ['c', 'report', 'job', "CRON '0 3 * * MON'", 'UTC', 'latest', 'active'],
  ])
  const { rows } = await session.run('SHOW SCHEDULES')
  const now = Date.now() * 1_000
  assert.deepEqual(
    rows.map((row) => [row[7] !== null && Number(row[7]) > now, row[8]]),
    [
      [false, null],
      [true, null],
      [true, null],
    ],
  )
  const made = (await session.run('SHOW CREATE TABLE job')).rows.map(([text]) => String(text))
  const before = await shown()
  await session.run('DROP TABLE job')
  assert.deepEqual(await shown(), [])
  for (const statement of made) await session.run(statement)
  assert.deepEqual(await shown(), before)
})

test('an observer that a schedule runs stays until that is dropped', async () => {
  await session.run("CREATE SCHEDULE hourly EVERY '1 hour' RUN report")
  const { code, schedule } = await refusal('DROP OBSERVER report')
  assert.deepEqual([code, schedule], ['invalid_request', 'hourly'])
  await session.run('DROP SCHEDULE hourly; DROP SCHEDULE IF EXISTS hourly; DROP OBSERVER report')
})

test('a name is that of one schedule, and near ones are named', async () => {
  const create = "EVERY '1 hour' RUN report"
  await session.run(`CREATE SCHEDULE hourly ${create}`)
  const taken = await refusal(`CREATE SCHEDULE HOURLY ${create}`)
  assert.deepEqual([taken.code, taken.existing], ['already_exists', 'hourly'])
  for (const statement of ['DROP SCHEDULE hourli', 'ALTER SCHEDULE hourli PAUSE']) {
    const { code, nearest } = await refusal(statement)
    assert.deepEqual([code, nearest], ['unknown_schedule', ['hourly']])
  }
  const { code, nearest } = await refusal("CREATE SCHEDULE s EVERY '1 hour' RUN reprt")
  assert.deepEqual([code, nearest], ['unknown_observer', ['report']])
})

test('a text that is wrong is where the error is', async () => {
  const create = "CREATE SCHEDULE s EVERY '1 day' AT '25:00' ZONE 'Mars' RUN report"
  const inZone = await refusal(create)
  assert.deepEqual(inZone, { code: 'invalid_request', at: create.indexOf("'Mars'") + 1 })
  const inTime = await refusal(create.replace('Mars', 'UTC'))
  assert.deepEqual(inTime, { code: 'invalid_request', at: create.indexOf("'25:00'") + 1 })
})

test('the table takes rows that have only a name and a time', async () => {
  const tables = [
    ['(id INTEGER PRIMARY KEY, a TEXT)'],
    ['(a TEXT PRIMARY KEY, b TIMESTAMP)'],
    ['(b TIMESTAMP, a TEXT, PRIMARY KEY (b, a))'],
    ['(a TEXT, b TIMESTAMP, c TEXT NOT NULL, PRIMARY KEY (a, b))', 'c'],
  ]
  for (const [columns = '', unfilled] of tables) {
    await session.run(`CREATE TABLE t ${columns}; CREATE OBSERVER o ON t (a)`)
    const { code, table, column } = await refusal("CREATE SCHEDULE s EVERY '1 hour' RUN o")
    assert.deepEqual([code, table, column], ['invalid_request', 't', unfilled], columns)
    await session.run('DROP TABLE t')
  }
  await session.run('CREATE WEAK OBSERVER weak ON job (note)')
  const { code, observer } = await refusal("CREATE SCHEDULE s EVERY '1 hour' RUN weak")
  assert.deepEqual([code, observer], ['invalid_request', 'weak'])
})

test('a store has at most schedulesMax of them', async () => {
  const { schedulesMax } = STORAGE_LIMITS
  for (let count = 0; count < schedulesMax; count += 1) {
    await session.run(`CREATE SCHEDULE s${count} EVERY '1 hour' RUN report`)
  }
  const { code, limit, limitValue } = await refusal("CREATE SCHEDULE s EVERY '1 hour' RUN report")
  assert.deepEqual([code, limit, limitValue], ['limit_exceeded', 'schedulesMax', schedulesMax])
})
