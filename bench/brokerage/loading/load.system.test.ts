// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { testWithPeer } from '../../servers/peer-tests.ts'
import { MemoryStore } from '../checks/memory-store.ts'
import type { Engine } from '../engine.ts'
import { PercoliteEngine } from '../engines/percolite/percolite-engine.ts'
import { PostgresEngine } from '../engines/postgres-engine.ts'
import { SqliteEngine } from '../engines/sqlite-engine.ts'
import { populationRows } from '../population/generator.ts'
import { Population } from '../population/population.ts'
import { profileOf } from '../population/profiles.ts'
import { loadPopulation } from './load-population.ts'
import { verifyLoad } from './verify-load.ts'

const population = new Population(profileOf('tiny'), 11n)

async function loadsAndVerifies(open: (folder: string) => Promise<Engine>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'percolite-brokerage-load-'))
  const said: string[] = []
  const surroundings = {
    signal: new AbortController().signal,
    say: (text: string) => void said.push(text),
  }
  try {
    const engine = await open(folder)
    try {
      let rows = 0
      await engine.load(async (loader) => {
        rows = await loadPopulation(loader, population, surroundings)
      })
      assert.equal(rows, [...populationRows(population)].length)
      assert.deepEqual(await verifyLoad(engine, population), [])
    } finally {
      await engine.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  assert.match(said.at(-1) as string, /^\[#{20}\] 100 % of about [\d,]+ rows, all tables$/)
}

test('SQLite has every row of the population after its load', () =>
  loadsAndVerifies(async (folder) => new SqliteEngine({ folder, synchronous: 'NORMAL' })))

test("the product's server has every row of the population after its load", () =>
  loadsAndVerifies(async (folder) => {
    return new PercoliteEngine({ way: 'http', folder, options: {}, connections: 2 })
  }))

testWithPeer('postgres', 'PostgreSQL has every row of the population after its load', () =>
  loadsAndVerifies((folder) => PostgresEngine.start({ folder, synchronousCommit: 'off' })),
)

test('a verification finds rows that are missing, and rows that are others', async () => {
  const store = MemoryStore.of(populationRows(population))
  assert.deepEqual(await verifyLoad(store, population), [])
  const missing = store.with('watch_item', (rows) => rows.slice(1))
  assert.match(
    (await verifyLoad(missing, population)).join(),
    /^watch_item has \d+ rows instead of/,
  )
  const other = store.with('company', (rows) => rows.map((row) => ({ ...row, co_sp_rate: 'ZZZ' })))
  assert.deepEqual(await verifyLoad(other, population), [
    'company has rows that are not those of the population',
  ])
  const unsettled = store.with('settlement', (rows) => rows.slice(1))
  assert.match((await verifyLoad(unsettled, population)).join('\n'), /\n14 of 15 checks hold\n/)
})

test('a load that is interrupted ends with the reason of its signal', async () => {
  const interruption = new AbortController()
  let batches = 0
  const loader = {
    async insertRows() {
      batches += 1
      interruption.abort(new Error('enough'))
    },
  }
  const load = loadPopulation(loader, population, { signal: interruption.signal, say() {} })
  await assert.rejects(load, /enough/)
  assert.equal(batches, 1)
})
