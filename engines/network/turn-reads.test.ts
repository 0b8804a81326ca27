// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CellStoreError } from '../../storage/cells/cell-store.ts'
import { MemoryCellStore } from '../../storage/cells/memory/memory-cell-store.ts'
import type { RowFilter } from '../../storage/cells/row-filter.ts'
import { chooseCells } from '../../storage/cells/row-filter-evaluation.ts'
import {
  locksUpTo,
  newestWriteUpTo,
} from '../../storage/transactions/records/percolator-columns.ts'
import { arbitraryCalls } from '../../test/cell-store/arbitrary-calls.ts'
import { bytes, cellsOf, ofKind, set, WHOLE_ROW } from '../../test/cell-store/cell-store-scene.ts'
import { TurnReads } from './turn-reads.ts'
import { unitedFilter } from './united-filter.ts'

test('what filters leave of a row, they leave of what their united filter leaves of it', async () => {
  const { filter, setCell } = arbitraryCalls()
  const cells = fc.array(setCell, { maxLength: 40, size: 'max' })
  await fc.assert(
    fc.asyncProperty(cells, fc.array(filter, { maxLength: 6 }), async (mutations, filters) => {
      const store = new MemoryCellStore()
      await store.mutateRows([{ row: bytes('bob'), mutations }])
      const [row] = await store.readRows([bytes('bob')], WHOLE_ROW)
      const whole = row?.cells ?? []
      const united = chooseCells(whole, unitedFilter(filters))
      for (const one of filters) {
        assert.deepEqual(chooseCells(united, one), chooseCells(whole, one))
      }
      const onePerOne = filters.reduce<RowFilter>((some, one) => unitedFilter([some, one]), [])
      const left = chooseCells(whole, onePerOne)
      for (const one of filters) assert.deepEqual(chooseCells(left, one), chooseCells(whole, one))
    }),
    { numRuns: 1_000 },
  )
})

test('a cell whose value is not wanted still hides the older ones', () => {
  const cells = [set('data 0@9=a'), set('data 0@5=z')].filter((one) => one.kind === 'setCell')
  const newest = [{ family: 'data', newest: 1, values: { start: bytes('m') } }] as const
  const older = [{ family: 'data', timestamps: { until: 6 } }] as const
  const left = chooseCells(cells, unitedFilter([newest, older]))
  assert.deepEqual(chooseCells(left, newest), [])
})

test('the united filter of snapshots is as short as one of them, however many there are', () => {
  const snapshot = (readTs: number): RowFilter => [
    locksUpTo('0', readTs),
    newestWriteUpTo('0', readTs),
  ]
  const filters = Array.from({ length: 32 }, (_, at) => snapshot(100 + at))
  assert.equal(unitedFilter(filters).length, 3)
})

/** A store of 40 rows with two versions each, and how often it was read. */
async function countedReads() {
  const store = new MemoryCellStore()
  const mutations = [set('write 0@5=old'), set('write 0@9=new')]
  await store.mutateRows(
    Array.from({ length: 40 }, (_, at) => ({ row: bytes(`row ${at}`), mutations })),
  )
  let requests = 0
  const reads = new TurnReads((keys, filter) => {
    requests += 1
    return store.readRows(keys, filter)
  })
  return { reads, requests: () => requests }
}

test('32 reads of one turn are one request, and each gets its rows at its own time', async () => {
  const { reads, requests } = await countedReads()
  const found = await Promise.all(
    Array.from({ length: 32 }, (_, at) =>
      reads.rows(['row 0', `row ${at}`, 'absent'].map(bytes), [newestWriteUpTo('0', at % 12)]),
    ),
  )
  assert.equal(requests(), 1)
  for (const [at, rows] of found.entries()) {
    const readTs = at % 12
    const cells = readTs < 5 ? [] : [readTs < 9 ? 'write 0@5=old' : 'write 0@9=new']
    assert.deepEqual(rows.map(cellsOf), [cells, cells, []])
    assert.equal(rows[2], null)
  }
})

test('reads of later turns are later requests, and too many keys are several', async () => {
  const { reads, requests } = await countedReads()
  const filter = [newestWriteUpTo('0', 9)]
  await reads.rows([bytes('row 1')], filter)
  await reads.rows([bytes('row 2')], filter)
  assert.equal(requests(), 2)
  const many = Array.from({ length: 600 }, (_, at) => bytes(`row ${at}`))
  await Promise.all([reads.rows(many, filter), reads.rows(many, filter)])
  assert.equal(requests(), 4)
})

test('a read that fails, fails for all who share it', async () => {
  const reads = new TurnReads(() => Promise.reject(new CellStoreError('deadline', 'It is away.')))
  const both = [reads.rows([bytes('a')], WHOLE_ROW), reads.rows([bytes('b')], WHOLE_ROW)]
  for (const read of both) await assert.rejects(read, ofKind('deadline'))
})
