// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryStore } from '../checks/memory-store.ts'
import { populationRows } from '../population/generator.ts'
import { Population } from '../population/population.ts'
import { profileOf } from '../population/profiles.ts'
import { loadPopulation } from './load-population.ts'
import { verifyLoad } from './verify-load.ts'

const population = new Population(profileOf('tiny'), 11n)

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
