// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import test, { type TestContext } from 'node:test'
import type { HttpSettings } from './http-workload.ts'
import { batchLauncher, LoadProcess } from './load-process.ts'
import type { WorkloadOrder } from './workload.ts'

const MODULE = new URL('./http-workload.ts', import.meta.url).href

/** A server of this test's own that answers with this status, and how many requests it has met. */
async function startServer(context: TestContext, status = 200) {
  const met = { requests: 0, mostAtOnce: 0 }
  let underWay = 0
  const server = createServer((request, response) => {
    underWay += 1
    met.requests += 1
    met.mostAtOnce = Math.max(met.mostAtOnce, underWay)
    request.resume().on('end', () => {
      underWay -= 1
      response.writeHead(status, { 'content-type': 'application/json' }).end('{"retryable":false}')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { readonly port: number }
  return { origin: `http://127.0.0.1:${port}`, met }
}

async function openLoad(
  context: TestContext,
  origin: string,
  how: Pick<WorkloadOrder, 'clients' | 'holdsStore'>,
) {
  const settings: HttpSettings = { origin, request: 'set', rows: 10 }
  const load = await LoadProcess.open({ module: MODULE, settings, seed: 1, ...how })
  context.after(() => load.close())
  return load
}

const unaborted = new AbortController().signal

test('a closed loop sends as much as is answered, with no more requests at once than clients', async (context) => {
  const { origin, met } = await startServer(context)
  const load = await openLoad(context, origin, { clients: 4 })
  const sample = await load.run({ seconds: 0.2 }, unaborted)
  assert.equal(sample.operations, met.requests)
  assert.ok(sample.operations > 4)
  assert.ok(met.mostAtOnce <= 4)
  assert.equal(sample.latency?.count, sample.operations)
  assert.ok(sample.cpuSeconds > 0)
})

test('an open loop sends as many as its rate says', async (context) => {
  const { origin } = await startServer(context)
  const load = await openLoad(context, origin, { clients: 8 })
  const sample = await load.run({ seconds: 0.5, ratePerSecond: 100 }, unaborted)
  assert.equal(sample.operations, 50)
})

test('an answer that says no ends the run with what the server said', async (context) => {
  const { origin } = await startServer(context, 400)
  const load = await openLoad(context, origin, { clients: 2 })
  await assert.rejects(
    load.run({ seconds: 5 }, unaborted),
    /\/v1\/query answered 400: \{"retryable":false\}/,
  )
})

/** `policy` in /proc/<pid>/stat, which is its 41st word; the second is in brackets. */
const POLICIES = { ordinary: '0', batch: '3' }

test('a load process is a batch process where Linux has them, unless it holds the store', async (context) => {
  if (batchLauncher().length === 0) {
    assert.notEqual(process.env.CI, 'true', 'CI has chrt')
    return context.skip('there is no chrt, of the Debian package util-linux')
  }
  const { origin } = await startServer(context)
  await openLoad(context, origin, { clients: 1 })
  assert.deepEqual(policiesOfChildren(), [POLICIES.batch])
  await openLoad(context, origin, { clients: 1, holdsStore: true })
  assert.deepEqual(policiesOfChildren().sort(), [POLICIES.ordinary, POLICIES.batch])
})

function policiesOfChildren(): string[] {
  const stats = readdirSync('/proc').flatMap((pid) => statOf(pid))
  return stats.filter(({ parent }) => parent === String(process.pid)).map(({ policy }) => policy)
}

function statOf(pid: string): Array<{ readonly parent: string; readonly policy: string }> {
  try {
    const words = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return [{ parent: words[1] as string, policy: words[38] as string }]
  } catch {
    return []
  }
}
