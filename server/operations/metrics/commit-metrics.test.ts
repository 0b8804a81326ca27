// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { startTestServer, type TestServer } from '../../../test/server/test-server.ts'
import { testFolder } from '../../../test/test-folder.ts'

async function figures(server: TestServer): Promise<Map<string, number>> {
  const { text } = await server.get('/metrics')
  const samples = text.matchAll(/^(percolite_\S+) (\S+)$/gm)
  return new Map([...samples].map(([, name = '', figure]) => [name, Number(figure)]))
}

async function onDisk(t: TestContext): Promise<TestServer> {
  const dataDirectory = await testFolder(t, 'metrics')
  return await startTestServer(t, { flags: { engine: 'sqlite', data: dataDirectory } })
}

const PHASE = (phase: string) => `percolite_commit_phase_duration_seconds_count{phase="${phase}"}`
const COMMITS = 'percolite_commit_duration_seconds_count'

test('a commit that writes is timed, with the group that takes it to the disk; a read is not', async (t) => {
  const server = await onDisk(t)
  await server.query('CREATE TABLE item (id TEXT PRIMARY KEY, n INTEGER)')
  const before = await figures(server)
  await server.query("GET * FROM item WHERE id = 'a'")
  const read = await figures(server)
  assert.equal(read.get(COMMITS), before.get(COMMITS))
  for (let n = 0; n < 5; n += 1) await server.query("SET n = 1 ON item WHERE id = 'a'")
  const after = await figures(server)
  const added = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0)
  assert.equal(added(COMMITS), 5)
  // What the server writes for itself, such as the bound of its timestamps, goes to the disk in groups as well.
  assert.ok(added(PHASE('group_wait')) >= 5)
  assert.ok(added(PHASE('sync')) >= 5)
  assert.ok(added('percolite_commit_duration_seconds_sum') > 0)
})

test('batches are counted by their route, and cells of the redo log are there until they are flushed', async (t) => {
  const dataDirectory = await testFolder(t, 'redo-metrics')
  const flags = { engine: 'sqlite', data: dataDirectory, 'redo-log': 'always' }
  const server = await startTestServer(t, { flags })
  await server.query('CREATE TABLE item (id TEXT PRIMARY KEY, n INTEGER)')
  const before = await figures(server)
  for (let n = 0; n < 5; n += 1) await server.query(`SET n = ${n} ON item WHERE id = 'a'`)
  const after = await figures(server)
  const routed = 'percolite_batches_total{route="redo_log"}'
  assert.ok((after.get(routed) ?? 0) - (before.get(routed) ?? 0) >= 5)
  assert.ok((after.get('percolite_batches_total{route="tables"}') ?? 0) >= 1)
  assert.ok((after.get('percolite_memtable_cells') ?? 0) >= 5)
  assert.ok((after.get('percolite_memtable_bytes') ?? 0) >= 5 * 20)
  assert.ok((after.get('percolite_flush_lag_seconds') ?? 0) > 0)
  const deadlineMs = performance.now() + 10_000
  for (let cells = 1; cells > 0; ) {
    assert.ok(performance.now() < deadlineMs, `${cells} cells were not flushed`)
    await setTimeout(50)
    const flushed = await figures(server)
    cells = flushed.get('percolite_memtable_cells') ?? 1
    if (cells === 0) assert.equal(flushed.get('percolite_flush_lag_seconds'), 0)
  }
})

async function conflictOn(server: TestServer, sql: string): Promise<void> {
  const [first, second] = [await server.begin(), await server.begin()]
  for (const id of [first, second]) await server.post(`/v1/transactions/${id}/query`, { sql })
  await server.post(`/v1/transactions/${first}/commit`)
  assert.equal((await server.post(`/v1/transactions/${second}/commit`)).status, 409)
}

test('conflicts are told by table and by what both wrote', async (t) => {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE item (id TEXT PRIMARY KEY, n INTEGER)')
  await conflictOn(server, "SET n = 3 ON item WHERE id = 'a'")
  const [writer] = [await server.begin()]
  await server.post(`/v1/transactions/${writer}/query`, { sql: "SET n = 4 ON item WHERE id = 'a'" })
  await server.query('ALTER TABLE item ADD COLUMN more TEXT')
  assert.equal((await server.post(`/v1/transactions/${writer}/commit`)).status, 409)
  const told = await figures(server)
  assert.equal(told.get('percolite_conflicts_total{kind="row",table="item"}'), 1)
  assert.equal(told.get('percolite_conflicts_total{kind="schema",table=""}'), 1)
})

test('an entry of an index is a conflict of its table', async (t) => {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE item (id TEXT PRIMARY KEY, mail TEXT)')
  await server.query('CREATE UNIQUE INDEX item_mail ON item (mail)')
  const ids = [await server.begin(), await server.begin()]
  for (const [at, id] of ids.entries()) {
    const sql = `INSERT INTO item (id, mail) VALUES ('${at}', 'same')`
    await server.post(`/v1/transactions/${id}/query`, { sql })
  }
  for (const id of ids) await server.post(`/v1/transactions/${id}/commit`)
  const told = await figures(server)
  assert.equal(told.get('percolite_conflicts_total{kind="index",table="item"}'), 1)
})

test('who reads the past does not make a conflict one of no table', async (t) => {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE older (id TEXT PRIMARY KEY)')
  const { body } = await server.query('SCAN * FROM older')
  await server.query('CREATE TABLE item (id TEXT PRIMARY KEY, n INTEGER)')
  await server.query('SCAN * FROM item')
  const asOf = await server.query(`SCAN * FROM older AS OF ${body.readTimestamp}`)
  assert.equal(asOf.status, 200)
  await conflictOn(server, "SET n = 1 ON item WHERE id = 'a'")
  const told = await figures(server)
  assert.equal(told.get('percolite_conflicts_total{kind="row",table="item"}'), 1)
})

test('the hundred and first table has no figure of its own', async (t) => {
  const server = await startTestServer(t)
  const names = Array.from({ length: 101 }, (_, at) => `t${at}`)
  for (const name of names) {
    await server.query(`CREATE TABLE ${name} (id INTEGER PRIMARY KEY, n INTEGER)`)
    await conflictOn(server, `SET n = 1 ON ${name} WHERE id = 1`)
  }
  const told = [...(await figures(server))].filter(([name]) =>
    name.includes('conflicts_total{kind'),
  )
  assert.equal(told.length, 101)
  assert.equal(told.filter(([name]) => name.includes('table=""')).length, 1)
})
