// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { eraseCell, filter, setCell, textOfRow } from './cell-store-programs.ts'
import {
  type CellView,
  type Chunk,
  type ChunkRequest,
  unconditionalStep,
} from './embedded-cell-store.ts'
import { MemoryCellStore } from './memory-cell-store.ts'
import type { RowFilter } from './row-filter.ts'
import { encodedBytesMax } from './sqlite-group-encoding.ts'
import { SqliteOverlaidView } from './sqlite-overlaid-view.ts'
import { PendingCells } from './sqlite-pending-cells.ts'
import { encodeRecord } from './sqlite-redo-record.ts'
import type { StepsBatch } from './sqlite-write-batch.ts'

/** So few that the layers meet on the same rows. */
const rowKey = fc.constantFrom(...[[0], [1], [1, 0], [0xff]].map((key) => Uint8Array.from(key)))

const mutation = fc.oneof({ weight: 3, arbitrary: setCell }, { weight: 1, arbitrary: eraseCell })

/** What one layer changes: nothing in many rows, or several cells in a few. */
const layer: fc.Arbitrary<StepsBatch> = fc
  .array(fc.tuple(rowKey, fc.array(mutation, { minLength: 1, maxLength: 3 })), { maxLength: 8 })
  .map((rows) => ({
    kind: 'steps',
    steps: rows.map(([row, otherwise]) => ({ row, when: [], ifMatched: [], otherwise })),
  }))

const request: fc.Arbitrary<ChunkRequest> = fc.record(
  {
    start: fc.oneof(fc.constant(new Uint8Array()), rowKey),
    end: rowKey,
    reverse: fc.boolean(),
    filter,
    rowsMax: fc.integer({ min: 1, max: 5 }),
    bytesMax: fc.integer({ min: 1, max: 12 }),
  },
  { requiredKeys: ['start', 'filter', 'rowsMax', 'bytesMax'] },
)

/** The rows of all chunks of a range; none is larger than it may be. */
function rowsOf(view: CellView, { end, ...order }: ChunkRequest): string[] {
  const rows: string[] = []
  let rest: Chunk['rest'] = { start: order.start, end }
  while (rest !== undefined) {
    const range =
      rest.end === undefined ? { start: rest.start } : { start: rest.start, end: rest.end }
    const chunk: Chunk = view.readChunk({ ...order, ...range })
    assert.ok(chunk.rows.length <= order.rowsMax)
    const bytes = chunk.rows
      .slice(0, -1)
      .flatMap(({ cells }) => cells.map(({ value }) => value.length))
    assert.ok(bytes.reduce((sum, one) => sum + one, 0) < order.bytesMax)
    rows.push(...chunk.rows.map(textOfRow))
    rest = chunk.rest
  }
  return rows
}

test('few rows wanted of a family that hardly any pending row has: hundreds of others are passed in each chunk', () => {
  const pending = new PendingCells()
  for (let row = 1_000; row < 2_000; row += 1) {
    const cell = { family: row === 1_999 ? 'lock' : 'data', qualifier: '0', timestamp: 1 } as const
    const otherwise = [{ kind: 'setCell', ...cell, value: new Uint8Array() } as const]
    const step = { row: Buffer.from(String(row)), when: [], ifMatched: [], otherwise }
    const batch: StepsBatch = { kind: 'steps', steps: [step] }
    pending.growing.cells.add(encodeRecord([batch], encodedBytesMax(batch)).packed)
  }
  const view = new SqliteOverlaidView(new MemoryCellStore().view, pending)
  for (const reverse of [false, true]) {
    let chunks = 0
    const found: string[] = []
    let rest: Chunk['rest'] = { start: new Uint8Array(), end: undefined }
    while (rest !== undefined) {
      const chunk: Chunk = view.readChunk({
        ...(rest.end === undefined ? { start: rest.start } : { start: rest.start, end: rest.end }),
        ...{ reverse, filter: [{ family: 'lock' }], rowsMax: 1, bytesMax: 1_000 },
      })
      found.push(...chunk.rows.map(({ key }) => Buffer.from(key).toString()))
      chunks += 1
      rest = chunk.rest
    }
    assert.deepEqual(found, ['1999'])
    assert.ok(chunks <= 4, `${chunks} chunks`)
  }
})

test('an erased cell hides the one in the tables, and the next one is the newest then', () => {
  const tables = new MemoryCellStore()
  const key = Buffer.from('a')
  const cell = (timestamp: number) =>
    ({ family: 'write', qualifier: '0', timestamp, value: Buffer.from(`${timestamp}`) }) as const
  const set = [3, 5, 7].map((timestamp) => ({ kind: 'setCell', ...cell(timestamp) }) as const)
  void tables.applyAtomically([unconditionalStep(key, set)])
  const pending = new PendingCells()
  const erase = (timestamp: number) => {
    const { family, qualifier } = cell(timestamp)
    const timestamps = { from: timestamp, until: timestamp + 1 }
    const mutations = [{ kind: 'deleteFromColumn', family, qualifier, timestamps } as const]
    const batch: StepsBatch = { kind: 'steps', steps: [unconditionalStep(key, mutations)] }
    pending.growing.cells.add(encodeRecord([batch], encodedBytesMax(batch)).packed)
  }
  const view = new SqliteOverlaidView(tables.view, pending)
  const found = (filter: RowFilter) =>
    view.readRows([key], filter)[0]?.cells.map(({ timestamp }) => timestamp)
  const newest = [{ family: 'write', qualifier: '0', newest: 1 }] as const
  erase(7)
  assert.deepEqual(found(newest), [5])
  assert.deepEqual(found([{ family: 'write' }]), [5, 3])
  pending.seal()
  erase(5)
  assert.deepEqual(found(newest), [3])
  erase(3)
  assert.equal(found(newest), undefined)
  const all = { start: new Uint8Array(), filter: newest, rowsMax: 9, bytesMax: 999 }
  assert.deepEqual(view.readChunk(all), { rows: [], rest: undefined })
})

test('R2: tables and two generations of pending cells read as one store that has had all writes in their order', async () => {
  const scenario = fc.record({
    tables: layer,
    sealed: layer,
    moved: layer,
    growing: layer,
    requests: fc.array(request, { maxLength: 6 }),
    keys: fc.array(rowKey, { maxLength: 6 }),
  })
  await fc.assert(
    fc.asyncProperty(scenario, async ({ tables, sealed, moved, growing, requests, keys }) => {
      const [stored, whole] = [new MemoryCellStore(), new MemoryCellStore()]
      const pending = new PendingCells()
      const add = (batch: StepsBatch) =>
        pending.growing.cells.add(encodeRecord([batch], encodedBytesMax(batch)).packed)
      await stored.applyAtomically(tables.steps)
      add(sealed)
      add(moved)
      pending.seal()
      add(growing)
      // Of what is being moved some is in the tables already, where nothing of it was replaced before.
      if (sealed.steps.length === 0) await stored.applyAtomically(moved.steps)
      for (const { steps } of [tables, sealed, moved, growing]) await whole.applyAtomically(steps)
      const view = new SqliteOverlaidView(stored.view, pending)
      for (const one of requests) {
        assert.deepEqual(rowsOf(view, one), rowsOf(whole.view, one))
        const found = (of: CellView) => of.readRows(keys, one.filter).map(textOfRow)
        assert.deepEqual(found(view), found(whole.view))
      }
    }),
    { numRuns: 500, interruptAfterTimeLimit: 20_000, markInterruptAsFailure: true },
  )
})
