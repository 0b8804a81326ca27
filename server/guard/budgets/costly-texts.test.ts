// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { WorkMeter } from '../../../planner/planner.ts'
import { nextTurns } from '../../../test/event-loop-turns.ts'
import { openSocket } from '../../../test/server/socket-client.ts'
import { startTestServer, type TestServer } from '../../../test/server/test-server.ts'

const MANY = 4
/** Units of work that take longer than a turn may last, on any machine of today. */
const LONG_UNITS = 5_000_000

const LIKE = `t LIKE '%_${'a'.repeat(400)}b%'`
const GET = `GET ${LIKE} AS c FROM costly WHERE id = 1`
const SET = `SET n = 1 ON costly WHERE id = 1 IF ${LIKE}`
const WHERE = `id = 1 AND ${LIKE}`

/** In which turns statements worked for long. */
function longTurns(t: TestContext): number[] {
  const turn = nextTurns(t)
  const found: number[] = []
  const { spend } = WorkMeter.prototype
  t.mock.method(WorkMeter.prototype, 'spend', function (this: WorkMeter, units: number) {
    const before = this.spent
    spend.call(this, units)
    if (before < LONG_UNITS && this.spent >= LONG_UNITS) found.push(turn.count)
  })
  return found
}

/** The doors of a server, each with what asks there once. */
const DOORS: Readonly<Record<string, (server: TestServer, t: TestContext) => Promise<unknown>>> = {
  'a GET as JSON': (server) => server.query(GET),
  'a GET as text': (server) =>
    server.send({
      ...{ method: 'POST', path: '/v1/query', text: GET },
      headers: { 'content-type': 'text/plain' },
    }),
  'a GET with a key that others have': (server) =>
    server.send({
      ...{ method: 'POST', path: '/v1/query', json: { sql: GET } },
      headers: { 'idempotency-key': 'one' },
    }),
  'a SET IF': (server) => server.query(SET),
  'rows by a condition': (server) =>
    server.get(`/v1/tables/costly/rows?where=${encodeURIComponent(WHERE)}`),
  'a PUT of a row that is checked': (server) =>
    server.send({
      method: 'PUT',
      path: '/v1/tables/costly/rows/2',
      json: { t: 'a'.repeat(8_000) },
    }),
  'a query in a frame': async (server, t) =>
    (await openSocket(t, (await server.listen()).port)).query(GET),
  'a subscription': async (server, t) =>
    (await openSocket(t, (await server.listen()).port)).subscribe(
      'one',
      `SCAN id FROM costly WHERE ${WHERE}`,
      { snapshot: true },
    ),
}

test('at each door one known text that takes long works in a turn of the event loop', async (t) => {
  const server = await startTestServer(t)
  await server.query(
    `CREATE TABLE costly (id INTEGER PRIMARY KEY, n INTEGER, t TEXT CHECK (NOT (${LIKE})))`,
  )
  await server.query(`INSERT INTO costly (id, t) VALUES (1, '${'a'.repeat(8_000)}'), (2, 'a')`)
  const turns = longTurns(t)
  for (const [door, ask] of Object.entries(DOORS)) {
    await ask(server, t)
    turns.length = 0
    await Promise.all(Array.from({ length: MANY }, () => ask(server, t)))
    assert.ok(turns.length >= MANY, `${door}: ${turns.length} worked for long`)
    assert.equal(new Set(turns).size, turns.length, `${door}: they worked in the turns ${turns}`)
  }
})
