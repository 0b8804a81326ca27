// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  eraseCell,
  filter,
  setCell,
  textOfRow,
} from '../../../../test/cell-store/cell-store-programs.ts'
import type { Family } from '../../cell.ts'
import {
  type CellView,
  type Chunk,
  type ChunkRequest,
  unconditionalStep,
} from '../../embedded-cell-store.ts'
import { MemoryCellStore } from '../../memory/memory-cell-store.ts'
import type { Mutation } from '../../mutation.ts'
import type { RowFilter } from '../../row-filter.ts'
import { encodedBytesMax } from '../groups/group-encoding.ts'
import type { StepsBatch } from '../groups/write-batch.ts'
import { SqliteOverlaidView } from './overlaid-view.ts'
import { PendingCells } from './pending-cells.ts'
import { encodeRecord, familySet } from './redo-record.ts'

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

test('of the pending rows behind a short range only those are looked at that it needs, in either direction', () => {
  const pending = new PendingCells()
  const step = (row: string) => {
    const cell = { family: 'data', qualifier: '0', timestamp: 1 } as const
    return unconditionalStep(Buffer.from(row), [
      { kind: 'setCell', ...cell, value: Buffer.from('x') },
    ])
  }
  const steps = Array.from({ length: 2_000 }, (_, at) => step(`${1_000 + at}`))
  const batch: StepsBatch = { kind: 'steps', steps }
  pending.growing.cells.add(encodeRecord([batch], encodedBytesMax(batch)).packed)
  const tables = new MemoryCellStore()
  void tables.applyAtomically(['1500x', '2000x'].map(step))
  const view = new SqliteOverlaidView(tables.view, pending)
  let looks = 0
  function* counted(keys: Generator<string>): Generator<string> {
    for (const key of keys) {
      looks += 1
      yield key
    }
  }
  const [keysFrom, keysBefore] = [pending.keysFrom.bind(pending), pending.keysBefore.bind(pending)]
  pending.keysFrom = (text) => counted(keysFrom(text))
  pending.keysBefore = (text) => counted(keysBefore(text))
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

test('an erased cell hides the one in an older generation, and the next one is the newest then', () => {
  const pending = new PendingCells()
  const column = { family: 'write', qualifier: '0' } as const
  const add = (mutations: readonly Mutation[]) => {
    const steps = [unconditionalStep(Buffer.from('a'), mutations)]
    const batch: StepsBatch = { kind: 'steps', steps }
    pending.growing.cells.add(encodeRecord([batch], encodedBytesMax(batch)).packed)
  }
  const value = new Uint8Array()
  add([3, 5, 7].map((timestamp) => ({ kind: 'setCell', ...column, timestamp, value })))
  pending.seal()
  const view = new SqliteOverlaidView(new MemoryCellStore().view, pending)
  const found = () =>
    [{ ...column, newest: 1 }, column].map((selector) =>
      view.readRows([Buffer.from('a')], [selector])[0]?.cells.map(({ timestamp }) => timestamp),
    )
  const erase = (timestamp: number) =>
    add([
      {
        kind: 'deleteFromColumn',
        ...column,
        timestamps: { from: timestamp, until: timestamp + 1 },
      },
    ])
  erase(7)
  assert.deepEqual(found(), [[5], [5, 3]])
  erase(5)
  add([{ kind: 'setCell', ...column, timestamp: 4, value }])
  assert.deepEqual(found(), [[4], [4, 3]])
  erase(3)
  erase(4)
  assert.deepEqual(found(), [undefined, undefined])
})

/** The tables, with what they were asked for. */
class AskedTables implements CellView {
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

test('the tables are asked for as many more of a column as are erased in it, and of no other', () => {
  const key = Buffer.from('a')
  const set = (family: 'write' | 'guard', timestamp: number) => {
    const cell = { family, qualifier: '0', timestamp } as const
    return { kind: 'setCell', ...cell, value: Buffer.from(`${timestamp}`) } as const
  }
  const erase = (family: 'lock' | 'guard', timestamp: number) => {
    const timestamps = { from: timestamp, until: timestamp + 1 }
    return { kind: 'deleteFromColumn', family, qualifier: '0', timestamps } as const
  }
  const stored = new MemoryCellStore()
  const versions = [1, 2, 3, 4, 5, 6]
  const writes = versions.map((at) => set('write', at))
  const guards = versions.map((at) => set('guard', at))
  void stored.applyAtomically([unconditionalStep(key, [...writes, ...guards])])
  const pending = new PendingCells()
  const add = (mutations: readonly Mutation[]) => {
    const batch: StepsBatch = { kind: 'steps', steps: [unconditionalStep(key, mutations)] }
    pending.growing.cells.add(encodeRecord([batch], encodedBytesMax(batch)).packed)
  }
  add([erase('lock', 1), erase('lock', 2), erase('guard', 6), set('write', 7)])
  pending.seal()
  add([erase('lock', 3), erase('guard', 5), erase('guard', 2)])
  const tables = new AskedTables(stored.view)
  const view = new SqliteOverlaidView(tables, pending)
  const found = (filter: RowFilter) => {
    tables.asked.length = 0
    const cells = view.readRows([key], filter)[0]?.cells ?? []
    return cells.map(({ family, timestamp }) => `${family} ${timestamp}`)
  }
  const write = { family: 'write', qualifier: '0', newest: 1 } as const
  const guard = { family: 'guard', qualifier: '0', newest: 1 } as const
  const before = (until: number) => ({ timestamps: { until } })

  assert.deepEqual(found([write]), ['write 7'])
  assert.deepEqual(tables.asked, [[write]])
  assert.deepEqual(found([{ ...write, ...before(4) }]), ['write 3'])
  assert.deepEqual(tables.asked, [[{ ...write, ...before(4) }]])
  assert.deepEqual(found([{ family: 'lock', newest: 1 }, write]), ['write 7'])
  assert.deepEqual(tables.asked[1], [{ family: 'lock', newest: 4 }, write])
  assert.deepEqual(found([write, guard]), ['write 7', 'guard 4'])
  assert.deepEqual(tables.asked[1], [write, { ...guard, newest: 4 }])
  assert.deepEqual(found([{ ...guard, ...before(5) }]), ['guard 4'])
  assert.deepEqual(tables.asked[1], [{ ...guard, ...before(5), newest: 2 }])
  assert.deepEqual(found([{ ...guard, values: { start: Buffer.from('5') } }]), [])
  assert.deepEqual(tables.asked[1], [{ ...guard, newest: 4 }])
})

test('rows of which nothing is pending in a family that is asked for are read from the tables only', () => {
  const pending = new PendingCells()
  const cell = { family: 'write', qualifier: '0', timestamp: 1, value: new Uint8Array() } as const
  const step = unconditionalStep(Buffer.from('a'), [{ kind: 'setCell', ...cell }])
  const batch: StepsBatch = { kind: 'steps', steps: [step] }
  pending.growing.cells.add(encodeRecord([batch], encodedBytesMax(batch)).packed)
  const sizes = (families: readonly Family[]) =>
    pending.rowsOf('a', familySet(families.map((family) => ({ family })))).map(({ size }) => size)
  assert.deepEqual([sizes(['lock', 'data']), sizes([]), sizes(['lock', 'write'])], [[], [], [1]])
  assert.deepEqual(pending.rowsOf('b'), [])
  // What the entries of a row have together.
  const timestamps = { from: 7, until: 8 }
  const erased = { kind: 'deleteFromColumn', family: 'lock', qualifier: '0', timestamps } as const
  const later: StepsBatch = { kind: 'steps', steps: [unconditionalStep(step.row, [erased])] }
  pending.growing.cells.add(encodeRecord([later], encodedBytesMax(later)).packed)
  assert.deepEqual([sizes(['write']), sizes(['lock']), sizes(['guard'])], [[2], [2], []])
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
