// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  columnsOf,
  keyOf,
  type RowOf,
  SCHEMA,
  TABLE_NAMES,
  type TableName,
} from '../schema/schema.ts'
import type { ColumnType, Value } from '../schema/table-shape.ts'
import { populationHash, populationRows, rowsExpected, TABLE_ROWS } from './generator.ts'
import { historyRatios, ratioProblems } from './history/history-ratios.ts'
import { Population, type TableRows } from './population.ts'
import { profileOf } from './profiles.ts'

const SEED = 2010n
const tiny = new Population(profileOf('tiny'), SEED)
const placed = [...populationRows(tiny)]

/** What every machine and every version makes of the seed 2010; whoever changes it changes the data. */
const HASHES = {
  tiny: '75dd2c205b6714ab9042ab8912f3e8d11fa44116282117e2a7ccb861a332d36e',
  small: '0962e6230e1a44f897efa2f5cae9ec59d0b3b20e0682f082475a6a072f4d28dc',
} as const

for (const [name, hash] of Object.entries(HASHES)) {
  test(`the profile ${name} is the same to the byte wherever it is made`, () => {
    assert.equal(populationHash(new Population(profileOf(name), SEED)), hash)
  })
}

test('another seed makes other data', () => {
  assert.notEqual(populationHash(new Population(profileOf('tiny'), SEED + 1n)), HASHES.tiny)
})

test('the rows of a parent are the same when they are made alone, and from the last to the first', () => {
  for (const [table, source] of Object.entries(TABLE_ROWS) as [TableName, TableRows<TableName>][]) {
    const inOrder = placed.filter(([name]) => name === table).map(([, row]) => row)
    const fresh = new Population(profileOf('tiny'), SEED)
    const backward: RowOf<TableName>[] = []
    for (let parent = source.parents(fresh) - 1; parent >= 0; parent -= 1) {
      backward.unshift(...source.rowsOf(fresh, parent))
    }
    assert.deepEqual(backward, inOrder, table)
  }
})

test('every table but those of runs has rows, and each row has a key of its own and every column', () => {
  const keys = new Set<string>()
  for (const [table, row] of placed) {
    assert.deepEqual(Object.keys(row).sort(), [...columnsOf(table)].sort(), table)
    for (const [column, value] of Object.entries(row) as [string, Value][]) {
      const type = (SCHEMA[table].columns as Readonly<Record<string, ColumnType>>)[column]
      const isText = type?.startsWith('text')
      const fits = isText ? typeof value === 'string' : Number.isSafeInteger(value)
      assert.ok(fits, `${table}.${column}: ${value}`)
    }
    const key = `${table} ${keyOf(table, row as never).join(' ')}`
    assert.ok(!keys.has(key), key)
    keys.add(key)
  }
  const filled = new Set(placed.map(([table]) => table))
  const empty = TABLE_NAMES.filter((table) => !filled.has(table))
  assert.deepEqual(empty, ['trade_request'])
  assert.ok(Math.abs(rowsExpected(tiny.profile) / placed.length - 1) < 0.1)
})

test('a day of history leaves behind as much as the rules of the workload imply', () => {
  const small = new Population(profileOf('small'), SEED)
  const counts = new Map<TableName, number>()
  for (const [table] of populationRows(small)) counts.set(table, (counts.get(table) ?? 0) + 1)
  const ratios = historyRatios((table) => counts.get(table) ?? 0)
  assert.deepEqual(ratioProblems(ratios, small.profile), [])
  const [problem] = ratioProblems({ ...ratios, holdingsPerTrade: 0.5 }, small.profile)
  assert.equal(problem, 'holdingsPerTrade is 0.500 instead of 0.694')
})
