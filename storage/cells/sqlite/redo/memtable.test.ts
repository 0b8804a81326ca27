// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Cell, FAMILIES } from '../../cell.ts'
import { compareCells } from '../../cell-order.ts'
import { keyString } from '../../row-key.ts'
import { Memtable } from './memtable.ts'
import type { PlainBatch } from './plain-batch.ts'
import { encodeRecord, type RecordedCell, walkRows } from './record.ts'
import { SortedRows } from './sorted-rows.ts'

const cell: fc.Arbitrary<Cell> = fc.record({
  family: fc.constantFrom(...FAMILIES),
  qualifier: fc.constantFrom('', '0', 'é', 'a longer one'),
  timestamp: fc.constantFrom(0, 1, 7, Number.MAX_SAFE_INTEGER - 1),
  value: fc.uint8Array({ maxLength: 300 }),
})

/** Mostly the same one, of which so much comes that it is kept when somebody has looked. */
const key = fc.oneof(
  { weight: 2, arbitrary: fc.constant(Buffer.from('hot')) },
  { weight: 1, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 2, max: 255 }) },
)
const batch: fc.Arbitrary<PlainBatch> = fc
  .array(fc.tuple(key, fc.array(cell, { maxLength: 3 })), { maxLength: 4 })
  .map((rows) => ({
    steps: rows.map(([row, cells]) => ({
      row: Buffer.from(row),
      otherwise: cells.map((one) => ({ kind: 'setCell', ...one }) as const),
    })),
  }))

/** Some batches, and whether somebody looks after them. */
const record = fc.tuple(fc.array(batch, { maxLength: 3 }), fc.boolean())

const encoded = (batches: readonly PlainBatch[]) => encodeRecord(batches, new ArrayBuffer(8_000))

/** What is in a memtable, by the keys in either direction. */
function contentOf(memtable: Memtable) {
  const ascending = [...memtable.keys('', undefined, false)]
  const descending = [...memtable.keys('', undefined, true)]
  assert.deepEqual(descending.toReversed(), ascending)
  return ascending.map((text) => [text, cellsOf(memtable.rowOf(text)).map(plain)])
}

/** In the order of `compareCells`; taken in two parts. */
function cellsOf(row: ReturnType<Memtable['rowOf']>): RecordedCell[] {
  if (row === undefined) return []
  const half = row.size >>> 1
  return [...row.slice(0, half), ...row.slice(half, row.size)]
}

const plain = ({ value, ...place }: RecordedCell) => ({
  ...place,
  value: Buffer.from(value as Uint8Array).toString('hex'),
})

test('a memtable has of each row what was set last at each place, in order, whenever somebody looks', () => {
  fc.assert(
    fc.property(fc.array(record), (records) => {
      const memtable = Memtable.of(512 * 1024)
      const expected = new Map<string, Map<string, RecordedCell>>()
      for (const [id, [batches, looks]] of records.entries()) {
        const packed = encoded(batches)
        const steps = batches.flatMap((one) => one.steps)
        assert.ok(memtable.hasRoomFor(packed.length))
        const before = memtable.cells
        memtable.add({ id, packed })
        const set = steps.flatMap(({ otherwise }) => otherwise)
        assert.equal(memtable.cells - before, set.length)
        assert.equal(memtable.lastId, id)
        for (const { row, otherwise } of steps) {
          for (const { kind: _, ...one } of otherwise) {
            const text = keyString(row)
            const place = JSON.stringify([one.family, one.qualifier, one.timestamp])
            if (!expected.has(text)) expected.set(text, new Map())
            expected.get(text)?.set(place, one)
          }
        }
        for (const text of [...expected.keys(), 'no such row']) {
          assert.equal(memtable.has(text), expected.has(text))
        }
        if (!looks) continue
        const rows = [...expected].sort(([a], [b]) => (a < b ? -1 : 1))
        const sorted = rows.map(([text, places]) => [
          text,
          [...places.values()].sort(compareCells).map(plain),
        ])
        assert.deepEqual(contentOf(memtable), sorted)
        assert.deepEqual(memtable.rowOf('no such row'), undefined)
        // As the other thread has it.
        const received = Memtable.received(structuredClone(memtable.sent()))
        const flushed = [...received.rowsFrom('')].map(({ key, oldest }) => [
          key,
          cellsOf(received.rowAt(oldest)).map(plain),
        ])
        assert.deepEqual(flushed, sorted)
      }
    }),
    { numRuns: 300 },
  )
})

test('a memtable says when it has no room, and what it handed out stays as it is', () => {
  const packed = encoded([
    { steps: [{ row: Buffer.from('a'), otherwise: [{ kind: 'setCell', ...A_CELL }] }] },
  ])
  const memtable = Memtable.of(2 * packed.length)
  memtable.add({ id: 1, packed })
  const [before] = cellsOf(memtable.rowOf('a'))
  packed.fill(0)
  assert.ok(memtable.hasRoomFor(packed.length))
  assert.ok(!memtable.hasRoomFor(2 * packed.length))
  assert.deepEqual(cellsOf(memtable.rowOf('a')), [before])
})

const A_CELL = { family: 'data', qualifier: '0', timestamp: 1, value: Buffer.from('x') } as const

type Rows = { readonly prefix: string; readonly count: number; readonly order: string }

/** So many rows with this prefix, in one of three orders; a key may be the prefix of another. */
const rows: fc.Arbitrary<Rows> = fc.record({
  prefix: fc.constantFrom('', 'a', 'row/', 'row/1', '\xff\xff'),
  count: fc.integer({ min: 0, max: 2_000 }),
  order: fc.constantFrom('ascending', 'descending', 'shuffled'),
})

function keysOf({ prefix, count, order }: Rows): string[] {
  return Array.from({ length: count }, (_, at) => {
    const rank =
      order === 'descending' ? count - at : order === 'shuffled' ? (at * 7_919) % count : at
    return `${prefix}${rank.toString(36)}`
  })
}

test('thousands of rows are found by their keys, and are in order from any key', () => {
  const looks = fc.array(fc.constantFrom('', 'a', 'a1', 'row/', 'row/10', 'row/zzz', '\xff\xff1'), {
    maxLength: 4,
  })
  fc.assert(
    fc.property(fc.array(fc.tuple(rows, looks), { maxLength: 6 }), (added) => {
      const memtable = Memtable.of(1024 * 1024)
      const entries = new Map<string, number>()
      for (const [id, [some, looks]] of added.entries()) {
        const steps = keysOf(some).map((text) => {
          const timestamp = entries.get(text) ?? 0
          entries.set(text, timestamp + 1)
          const otherwise = [{ kind: 'setCell', ...A_CELL, timestamp } as const]
          return { row: Buffer.from(text, 'latin1'), otherwise }
        })
        memtable.add({ id, packed: encodeRecord([{ steps }], new ArrayBuffer(60 * steps.length)) })
        const sorted = [...entries.keys()].sort()
        for (const look of looks) {
          const after = sorted.filter((key) => key >= look)
          const before = sorted.filter((key) => key < look).reverse()
          assert.deepEqual([...memtable.keys(look, undefined, false)], after)
          assert.deepEqual([...memtable.keys('', look, false)], before.toReversed())
          assert.deepEqual([...memtable.keys('', look, true)], before)
          assert.equal(memtable.has(look), entries.has(look))
        }
      }
      const all = [...entries.keys()].sort()
      assert.deepEqual([...memtable.keys('', undefined, true)], all.reverse())
      for (const [key, count] of entries) assert.equal(memtable.rowOf(key)?.size, count)
    }),
    { numRuns: 40 },
  )
})

test('R2, R3: rows that do not ascend, or that no run has, are noticed before anybody relies on them', () => {
  const packed = encoded([
    {
      steps: ['a', 'b', 'a'].map((row) => ({
        row: Buffer.from(row),
        otherwise: [{ kind: 'setCell', ...A_CELL }],
      })),
    },
  ])
  const offsets: number[] = []
  walkRows(Buffer.from(packed), (from) => offsets.push(from))
  const sorted = new SortedRows(Buffer.from(packed))
  for (const offset of offsets) sorted.add(offset)
  assert.throws(() => sorted.runs, /R2/)
  const [a, b, again] = offsets as [number, number, number]
  const runs = [Int32Array.of(a, b), Int32Array.of(again)]
  assert.throws(() => [...new SortedRows(Buffer.from(packed), runs).inOrder('')], /R2/)
})
