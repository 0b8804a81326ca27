// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { runningScene } from '../../../test/server/running-scene.ts'

/** Statements that take far longer together than any of these tests. */
const LONG = Array.from(
  { length: 900 },
  (_, id) => `SCAN count(*) FROM t USE PRIMARY KEY WHERE a <> 'secret ${id}'`,
).join(';\n')

test('a script is listed without its values, and ends when it is told to; what was done stays', async (t) => {
  const { client, running, cancel, nothingHeld } = await runningScene(t)
  const sql = `CREATE TABLE first (id INTEGER PRIMARY KEY);\n${LONG};\nDROP TABLE first`
  const answer = client.send('POST', '/v1/scripts', { sql })
  const { id, statement } = await running('runScript')
  assert.doesNotMatch(statement, /secret/)
  while ((await client.send('GET', '/v1/tables/first')).status !== 200) await sleep(5)
  assert.equal((await cancel(id)).status, 204)
  const { status, body } = await answer
  assert.deepEqual([status, body.code], [409, 'statement_cancelled'])
  assert.ok(body.done >= 1 && body.done < body.total - 1)
  assert.equal(body.results.length, body.done)
  await nothingHeld()
})

test('a script ends between two of its statements when its client goes away', async (t) => {
  const { client, url, running, list, nothingHeld } = await runningScene(t)
  const leaving = new AbortController()
  const sql = `${LONG};\nCREATE TABLE last (id INTEGER PRIMARY KEY)`
  const asked = fetch(`${url}/v1/scripts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sql }),
    signal: leaving.signal,
  })
  await running('runScript')
  leaving.abort()
  await assert.rejects(asked)
  await nothingHeld()
  const left = (await list()).filter(({ operation }) => operation === 'runScript')
  assert.deepEqual(left, [])
  assert.equal((await client.send('GET', '/v1/tables/last')).status, 404)
})
