// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { readCall } from '../harness/command-line.ts'
import { goalsOf, runShortly, testWithServers } from '../servers/peer-tests.ts'
import { httpSuite } from './http-suite.ts'

const { options } = readCall([], httpSuite)
const FEW_ROWS = { ...options, rows: '100' }

testWithServers('SETs over HTTP are measured beside the hello server', async () => {
  const experiment = httpSuite.experiments(FEW_ROWS).find((one) => one.name === 'set')
  assert.ok(experiment)
  const contenders = experiment.contenders.filter(
    (one) => one.name.endsWith(' 4 clients') || one.name.startsWith('hello with'),
  )
  const { samples } = await runShortly({ ...experiment, contenders, goals: [] })
  assert.deepEqual(
    [...samples.keys()],
    ['SET, 4 clients', 'hello, 4 clients', 'hello with a raw durable put, 64 clients'],
  )
  for (const [sample] of samples.values()) {
    assert.ok(sample)
    assert.ok(sample.operations > 0 && sample.cpuSeconds >= 0)
    assert.ok(Number(sample.driverCpuSeconds) > 0)
    assert.deepEqual(sample.figures, { retries: 0 })
  }
})

test('every goal of HTTP is there by name with its must and its aim', () => {
  const goals = goalsOf(httpSuite.experiments(options))
  assert.deepEqual(goals, [
    ['GET over HTTP / Fastify hello-world POST, same client', 0.55, 0.8],
    ['SET over HTTP, durable, 64 clients / hello', 0.5, 0.85],
    ['SET over HTTP / hello with a raw durable put', undefined, undefined],
    ['GET with a token', 0.92, 1],
    ['GET with a token and a rule by key', 0.85, 0.95],
    ['statements/s in one request of 100 GETs / 100 requests', 8, 15],
    ['the same by 16 clients, of a server that is never idle', undefined, undefined],
    ['transfers between accounts drawn by Zipf 1.5 / uniform ones', 0.8, 1],
  ])
})
