// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditedServer } from '../../../test/access/audited-server.ts'

test('the audit log tells of each change of a schedule, by its kind and names', async (t) => {
  const { admin, events } = await auditedServer(t)
  for (const sql of [
    'CREATE TABLE job (name TEXT, at TIMESTAMP, PRIMARY KEY (name, at))',
    'CREATE OBSERVER report ON job (at)',
    "CREATE SCHEDULE nightly EVERY '1 day' RUN report; ALTER SCHEDULE nightly PAUSE",
    'ALTER SCHEDULE nightly RESUME; DROP SCHEDULE nightly; DROP SCHEDULE IF EXISTS nightly',
  ]) {
    await admin.rows(sql)
  }
  const told = (await events()).filter(({ event }) => event === 'definition_changed')
  assert.deepEqual(
    told.slice(2).map(({ operation, names }) => [operation, names]),
    [
      ['createSchedule', { schedule: 'nightly', observer: 'report' }],
      ['pauseSchedule', { schedule: 'nightly' }],
      ['resumeSchedule', { schedule: 'nightly' }],
      ['dropSchedule', { schedule: 'nightly' }],
    ],
  )
})
