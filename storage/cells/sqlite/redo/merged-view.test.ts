// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { arbitraryCalls } from '../../../../test/cell-store/arbitrary-calls.ts'
import { textOfRow } from '../../../../test/cell-store/cell-store-programs.ts'
import type { Cell } from '../../cell.ts'
import {
  type CellView,
  type Chunk,
  type ChunkRequest,
  unconditionalStep,
} from '../../embedded-cell-store.ts'
import { MemoryCellStore } from '../../memory/memory-cell-store.ts'
import type { RowFilter } from '../../row-filter.ts'
import { Memtables } from './memtables.ts'
import { MergedView } from './merged-view.ts'
import type { PlainBatch } from './plain-batch.ts'
import { encodeRecord } from './record.ts'

let lastId = 0

/** Adds a record of the batch to the mutable memtable. */
function add(memtables: Memtables, batch: PlainBatch): void {
  const cells = batch.steps.flatMap(({ otherwise }) => otherwise)
  const bytes = cells.reduce((sum, { value }) => sum + value.length + 60, 60 * batch.steps.length)
  lastId += 1
  memtables.mutable.add({ id: lastId, packed: encodeRecord([batch], new ArrayBuffer(bytes)) })
}

const batchOf = (row: string, ...cells: readonly Cell[]) => ({
  steps: [
    {
      row: Buffer.from(row),
      otherwise: cells.map((cell) => ({ kind: 'setCell', ...cell }) as const),
    },
  ],
})

/** So few that the layers meet on the same rows. */
const rowKey = fc.constantFrom(...[[0], [1], [1, 0], [0xff]].map((key) => Uint8Array.from(key)))

/** What one layer sets: nothing in many rows, or several cells in a few. */
const { filter, setCell } = arbitraryCalls()
const layer = fc
  .array(fc.tuple(rowKey, fc.array(setCell, { minLength: 1, maxLength: 3 })), { maxLength: 8 })
  .map((rows) => ({ steps: rows.map(([row, otherwise]) => unconditionalStep(row, otherwise)) }))
  .map((batch) => batch as typeof batch & PlainBatch)

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

test('few rows wanted of a family that hardly any row of a memtable has: hundreds of others are passed in each chunk', () => {
  const memtables = new Memtables()
  for (let row = 1_000; row < 2_000; row += 1) {
    const family = row === 1_999 ? 'lock' : 'data'
    const cell = { family, qualifier: '0', timestamp: 1, value: new Uint8Array() } as const
    add(memtables, batchOf(String(row), cell))
  }
  const view = new MergedView(new MemoryCellStore().view, memtables)
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

test('of the rows of a memtable after a short range only those are looked at that it needs, in either direction', () => {
  const memtables = new Memtables()
  const cell = { family: 'data', qualifier: '0', timestamp: 1, value: Buffer.from('x') } as const
  const step = (row: string) => {
    return unconditionalStep(Buffer.from(row), [{ kind: 'setCell', ...cell }])
  }
  for (let row = 1_000; row < 3_000; row += 1) add(memtables, batchOf(String(row), cell))
  const tables = new MemoryCellStore()
  void tables.applyAtomically(['1500x', '2000x'].map(step))
  const view = new MergedView(tables.view, memtables)
  let looks = 0
  function* counted(keys: Generator<string>): Generator<string> {
    for (const key of keys) {
      looks += 1
      yield key
    }
  }
  const memtable = memtables.mutable
  const keys = memtable.keys.bind(memtable)
  memtable.keys = (...range) => counted(keys(...range))
  const read = (start: string, end: string, reverse: boolean, limits: object = {}) => {
    looks = 0
    const [rowsMax, bytesMax] = [1, 1_000]
    const chunk = view.readChunk({
      ...{ start: Buffer.from(start), end: Buffer.from(end), reverse },
      ...{ filter: [{ family: 'data' }], rowsMax, bytesMax, ...limits },
    })
    const text = (key: Uint8Array | undefined) =>
      key === undefined ? undefined : Buffer.from(key).toString()
    const { rest } = chunk
    return [chunk.rows.map(({ key }) => text(key)), text(rest?.start), text(rest?.end)]
  }
  assert.deepEqual(read('1200', '9', false), [['1200'], '1201', '9'])
  assert.ok(looks <= 2, `${looks} looks`)
  assert.deepEqual(read('1', '1200', true), [['1199'], '1', '1198\0'])
  assert.ok(looks <= 2, `${looks} looks`)
  assert.deepEqual(read('1500', '9', false, { rowsMax: 2 }), [['1500', '1500x'], '1501', '9'])
  assert.deepEqual(read('1', '2001', true, { rowsMax: 2 }), [['2000x', '2000'], '1', '1999\0'])
  assert.deepEqual(read('2999', '9', false), [['2999'], undefined, undefined])
  const others = { filter: [{ family: 'lock' }] }
  assert.deepEqual(read('1000', '9', false, others), [[], '1512', '9'])
  assert.ok(looks <= 514, `${looks} looks`)
  assert.deepEqual(read('1', '9', true, others), [[], '1', '2487\0'])
  assert.deepEqual(read('1000', '9', false, { ...others, rowsMax: 600 }), [[], '1600', '9'])
  const few = { rowsMax: 100, bytesMax: 3 }
  assert.deepEqual(read('1200', '9', false, few), [['1200', '1201', '1202'], '1203', '9'])
  assert.ok(looks <= 4, `${looks} looks`)
})

/** The tables, with what they were asked for. */
class RequestedTables implements CellView {
  readonly asked: RowFilter[] = []
  readonly #tables: CellView

  constructor(tables: CellView) {
    this.#tables = tables
  }

  readRows(keys: readonly Uint8Array[], filter: RowFilter) {
    this.asked.push(filter)
    return this.#tables.readRows(keys, filter)
  }

  readChunk(request: ChunkRequest): Chunk {
    return this.#tables.readChunk(request)
  }
}

test('values are compared after the newest cells of tables and memtables were chosen together', () => {
  const cell = (timestamp: number, value: string) =>
    ({ family: 'guard', qualifier: '0', timestamp, value: Buffer.from(value) }) as const
  const stored = new MemoryCellStore()
  void stored.applyAtomically(
    ['a', 'b'].map((row) =>
      unconditionalStep(Buffer.from(row), [{ kind: 'setCell', ...cell(5, 'low') }]),
    ),
  )
  const memtables = new Memtables()
  add(memtables, batchOf('a', cell(4, 'middle')))
  add(memtables, batchOf('b', cell(6, 'middle')))
  const tables = new RequestedTables(stored.view)
  const view = new MergedView(tables, memtables)
  const found = (filter: RowFilter) => {
    tables.asked.length = 0
    return view.readRows(['a', 'b', 'c'].map(Buffer.from), filter).map((row) => row?.cells.length)
  }
  const guard = { family: 'guard', qualifier: '0', newest: 1 } as const
  assert.deepEqual(found([guard]), [1, 1, undefined])
  assert.deepEqual(tables.asked, [[guard]])
  const values = { start: Buffer.from('m') }
  assert.deepEqual(found([{ ...guard, values }]), [undefined, 1, undefined])
  assert.deepEqual(tables.asked, [[{ ...guard, values }], [guard], [guard]])
})

test('R2: tables, an immutable and a mutable memtable read as one store that has had all writes in their order', async () => {
  const scenario = fc.record({
    tables: layer,
    immutable: layer,
    flushed: layer,
    mutable: layer,
    requests: fc.array(request, { maxLength: 6 }),
    keys: fc.array(rowKey, { maxLength: 6 }),
  })
  await fc.assert(
    fc.asyncProperty(scenario, async ({ tables, immutable, flushed, mutable, requests, keys }) => {
      const [stored, whole] = [new MemoryCellStore(), new MemoryCellStore()]
      const memtables = new Memtables()
      await stored.applyAtomically(tables.steps)
      add(memtables, immutable)
      add(memtables, flushed)
      memtables.makeImmutable()
      add(memtables, mutable)
      // Of what is being flushed some is in the tables already, where nothing of it was replaced before.
      if (immutable.steps.length === 0) await stored.applyAtomically(flushed.steps)
      for (const { steps } of [tables, immutable, flushed, mutable])
        await whole.applyAtomically(steps)
      const view = new MergedView(stored.view, memtables)
      for (const one of requests) {
        assert.deepEqual(rowsOf(view, one), rowsOf(whole.view, one))
        const found = (of: CellView) => of.readRows(keys, one.filter).map(textOfRow)
        assert.deepEqual(found(view), found(whole.view))
      }
    }),
    { numRuns: 500, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: true },
  )
})

test('a memtable takes the memory of one that was dropped, and what was read from that stays as it is', () => {
  const memtables = new Memtables()
  const view = new MergedView(new MemoryCellStore().view, memtables)
  const cell = { family: 'data', qualifier: '0', timestamp: 1 } as const
  const found: Cell[] = []
  const memories: SharedArrayBuffer[] = []
  for (const letter of 'abcd') {
    add(memtables, batchOf('row', { ...cell, value: Buffer.alloc(100, letter) }))
    const [row] = view.readRows([Buffer.from('row')], [{ family: 'data' }])
    found.push(...(row?.cells ?? []))
    memories.push(memtables.mutable.sent().memory)
    memtables.makeImmutable()
    memtables.dropImmutable()
  }
  assert.deepEqual(
    found.map(({ value }) => Buffer.from(value).toString()),
    [...'abcd'].map((letter) => letter.repeat(100)),
  )
  assert.equal(new Set(memories).size, 2)
})
