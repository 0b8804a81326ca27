// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import { systemClock } from '../../../storage/storage.ts'
import { ObservedServer, Runs } from '../../../test/server/observed-server.ts'
import { startTestServer, type TestServer } from '../../../test/server/test-server.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { StandbyState } from '../replication/standby-state.ts'

type Metric = { readonly type: string; readonly labels: readonly string[] }

// The stores of this file say, as those on the network do, what was asked of them.
Object.assign(MemoryCellStore.prototype, { requestsSent: new Map([['ReadRows', 7]]) })

/** What `docs/metrics.md` says that there is, by name. */
function documented(): Map<string, Metric> {
  const text = readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8')
  const rows = text.matchAll(/^\| `(\w+)` \| (\w+) \|([^|]*)\|/gm)
  return new Map(
    [...rows].map(([, name = '', type = '', labels = '']) => [
      name,
      { type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label).toSorted() },
    ]),
  )
}

/** What an answer of `/metrics` has; of the labels those of its samples. */
function told(text: string): Map<string, Metric> {
  const metrics = new Map<string, Metric>()
  for (const [, name = '', type = ''] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
    const samples = text.matchAll(new RegExp(`^${name}(?:_bucket)?\\{(.*)\\} `, 'gm'))
    const labels = [...samples].flatMap(([, list = '']) =>
      [...list.matchAll(/(\w+)="/g)].map(([, label = '']) => label),
    )
    const own = new Set(labels.filter((label) => label !== 'le'))
    metrics.set(name, { type, labels: [...own].toSorted() })
  }
  return metrics
}

/** What only a store in a folder has. */
async function ofFolder(t: test.TestContext): Promise<string> {
  const dataDirectory = await testFolder(t, 'metrics')
  const server = await startTestServer(t, { flags: { engine: 'sqlite', data: dataDirectory } })
  return (await server.send({ path: '/metrics' })).text
}

/** A relay whose first message was tried. */
async function failRelay(server: TestServer, url: string): Promise<void> {
  await server.query('CREATE TABLE sent (id INTEGER PRIMARY KEY)')
  await server.query(`CREATE RELAY shop ON TABLES sent TO '${url}'`)
  await server.query('INSERT INTO sent (id) VALUES (1)')
  while ((await server.rows('SHOW RELAYS'))[0].state !== 'failing') await delay(20)
}

async function everything(t: test.TestContext): Promise<string> {
  const work = new Runs('work')
  const following = { state: new StandbyState('http://one', systemClock), promote: () => {} }
  const deps = { observers: [work.defined], following }
  const observed = await ObservedServer.start(t, { deps })
  const { server } = observed
  await observed.createObserver('work')
  await observed.run('CREATE TABLE job (name TEXT, at TIMESTAMP, PRIMARY KEY (name, at))')
  await observed.run('CREATE OBSERVER report ON job (at)')
  await observed.run("CREATE SCHEDULE nightly EVERY '1 day' RUN report")
  await observed.write(1, 'text')
  const [first, second] = [await server.begin(), await server.begin()]
  for (const id of [first, second]) {
    await server.post(`/v1/transactions/${id}/query`, {
      sql: "SET text = 'a' ON page WHERE id = 1",
    })
  }
  await server.post(`/v1/transactions/${first}/commit`)
  assert.equal((await server.post(`/v1/transactions/${second}/commit`)).status, 409)
  const { port } = await server.listen()
  await (await fetch(`http://127.0.0.1:${port}/v1/tables`)).text()
  // A store in a folder has figures of those that follow it.
  const nowhere = 'http://127.0.0.1:1'
  const data = await testFolder(t, 'metrics')
  const flags = { engine: 'sqlite', data, 'relay-to': nowhere }
  const inFolder = await startTestServer(t, { flags })
  await failRelay(inFolder, nowhere)
  const { text: ofFolder } = await inFolder.get('/metrics')
  return (await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()) + ofFolder
}

test('docs/metrics.md has every figure of /metrics with its type and labels, and no other', async (t) => {
  const text = await everything(t)
  const byName = (metrics: Map<string, Metric>) => Object.fromEntries([...metrics].toSorted())
  const known = new Map([...told(await ofFolder(t)), ...told(text)])
  assert.deepEqual(byName(known), byName(documented()))
})

test('names and labels are as Prometheus wants them', async (t) => {
  const text = await everything(t)
  for (const [name, { type, labels }] of told(text)) {
    assert.match(name, /^(percolite|process|nodejs)(_[a-z0-9]+)+$/)
    assert.equal(name.endsWith('_total'), type === 'counter', `${name} is a ${type}`)
    assert.doesNotMatch(
      name,
      /_(ms|milliseconds|micros|kb|mb|megabytes|percent|minutes|count|sum|bucket)$/,
    )
    assert.equal(type === 'histogram', /_duration_seconds$/.test(name), name)
    for (const label of labels) assert.match(label, /^[a-z]+(_[a-z]+)*$/, `${name}{${label}}`)
    assert.match(text, new RegExp(`^# HELP ${name} \\S.*\\.$`, 'm'), `${name} is explained`)
  }
  for (const [, value = ''] of text.matchAll(/(?:outcome|kind|phase)="([^"]*)"/g)) {
    assert.match(value, /^[a-z]+(_[a-z]+)*$/)
  }
})
