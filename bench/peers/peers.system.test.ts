// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { readCall } from '../harness/command-line.ts'
import { goalsOf, runShortly, testWithPeer } from '../servers/peer-tests.ts'
import { peersSuite } from './peers-suite.ts'

const { options } = readCall([], peersSuite)
const FEW_ROWS = { ...options, rows: '100', records: '100' }

const PEERS = [
  ['put', 'etcd', 'etcd'],
  ['put', 'postgresql', 'postgres'],
  ['put', 'redis', 'redis-server'],
  ['transfer', 'postgresql, five round trips', 'postgres'],
  ['transfer', 'etcd3, compare-and-swap', 'etcd'],
  ['rows', 'scan of 50, fastify-postgres', 'postgres'],
  ['rows', 'update, rqlite', 'rqlited'],
  ['rows', 'transfer, sqld', 'sqld'],
] as const

for (const [name, contender, program] of PEERS) {
  testWithPeer(program, `${name}: ${contender} is started, measured and stopped`, async () => {
    const experiment = peersSuite.experiments(FEW_ROWS).find((one) => one.name === name)
    assert.ok(experiment)
    const contenders = experiment.contenders.filter((one) => one.name === contender)
    assert.equal(contenders.length, 1)
    const { samples } = await runShortly({ ...experiment, contenders, goals: [] })
    const sample = samples.get(contender)?.[0]
    assert.ok(sample)
    assert.ok(sample.operations > 0)
    // PostgreSQL's many processes each round their time down to hundredths of a second.
    assert.ok(sample.cpuSeconds >= 0)
    assert.ok(Number(sample.latency?.p50) > 0)
  })
}

test('where no peer is installed the experiments have percolite alone, and say what is missing', () => {
  const path = process.env.PATH
  try {
    process.env.PATH = ''
    // Programs of the others are looked for in folders of their own, too.
    for (const experiment of peersSuite.experiments(options).slice(0, 2)) {
      const names = experiment.contenders.map(({ name }) => name)
      const notes = experiment.notes?.join('\n') ?? ''
      assert.ok(!names.some((name) => name.startsWith('etcd')))
      assert.match(
        notes,
        /Left out: etcd.* etcd is not installed here; bench\/peers\.sh installs it/,
      )
      // No goal is without its contenders.
      goalsOf([experiment])
    }
  } finally {
    process.env.PATH = path
  }
})

test('every goal of the peers is there by name with its must and its aim', () => {
  const wanted = [
    ['durable put over HTTP, 64 clients / etcd HTTP put', 2, 3.5],
    ['durable put over HTTP / PostgreSQL upsert through pg', 0.8, 1.3],
    ['two-row transfer in one request / PostgreSQL five round trips', 2, 3],
    ['two-row transfer in one request / etcd3 compare-and-swap', 4, 8],
    ['read over HTTP, 16 clients / fastify-postgres', 2, 2.5],
    ['update over HTTP, 16 clients / fastify-postgres', 0.9, 1.2],
    ['scan of 50 over HTTP, 16 clients / fastify-postgres', 0.3, 0.5],
    ['transfer over HTTP, 16 clients / fastify-postgres', 1.2, 2],
    // What the client and the store leave possible has no bounds.
    ['hello with a raw durable put, 64 clients / etcd HTTP put', undefined, undefined],
    ['durable put over HTTP / hello with a raw durable put, 64 clients', undefined, undefined],
  ]
  const goals = goalsOf(peersSuite.experiments(options))
  // The socket, rqlite and sqld are only told.
  const told = goals.filter(([what]) => !/ (percolite-socket|rqlite|sqld)$/.test(String(what)))
  for (const goal of told)
    assert.ok(
      wanted.some((one) => one.join() === goal.join()),
      `${goal}`,
    )
})
