// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FAMILIES } from '../../cell.ts'
import { type CellPlace, compareCells } from '../../cell-order.ts'
import { unconditionalStep } from '../../embedded-cell-store.ts'
import { type Mutation, placeErasedBy } from '../../mutation.ts'
import { rowKeyText } from '../../row-key.ts'
import { encodedBytesMax } from '../groups/group-encoding.ts'
import type { StepsBatch } from '../groups/write-batch.ts'
import { SqlitePackedMemtable } from './packed-memtable.ts'
import { encodeRecord, type RecordedCell } from './redo-record.ts'

/** Of an erased cell without a value. */
const cell: fc.Arbitrary<RecordedCell> = fc.record({
  family: fc.constantFrom(...FAMILIES),
  qualifier: fc.constantFrom('', '0', 'é', 'a longer one'),
  timestamp: fc.constantFrom(0, 1, 7, Number.MAX_SAFE_INTEGER - 1),
  value: fc.option(fc.uint8Array({ maxLength: 300 }), { nil: undefined, freq: 4 }),
})

function mutationOf({ value, timestamp, ...column }: RecordedCell): Mutation {
  if (value !== undefined) return { kind: 'setCell', ...column, timestamp, value }
  const timestamps = { from: timestamp, until: timestamp + 1 }
  return { kind: 'deleteFromColumn', ...column, timestamps }
}

/** Mostly the same one, of which so much comes that it is kept when somebody has looked. */
const key = fc.oneof(
  { weight: 2, arbitrary: fc.constant(Buffer.from('hot')) },
  { weight: 1, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 2, max: 255 }) },
)
const batch: fc.Arbitrary<StepsBatch> = fc
  .array(fc.tuple(key, fc.array(cell, { maxLength: 3 })), { maxLength: 4 })
  .map((rows) => ({
    kind: 'steps',
    steps: rows.map(([row, cells]) => unconditionalStep(row, cells.map(mutationOf))),
  }))

/** Some batches, and whether somebody looks behind them. */
const record = fc.tuple(fc.array(batch, { maxLength: 3 }), fc.boolean())

const encoded = (batches: readonly StepsBatch[]) =>
  encodeRecord(
    batches,
    batches.reduce((sum, one) => sum + encodedBytesMax(one), 0),
  )

/** How many are set and stay, if as many of them as can be are erased, and half of those that are erased. */
function countOf(mutations: readonly Mutation[]): number {
  const set = mutations.filter(({ kind }) => kind === 'setCell').length
  const erased = mutations.length - set
  return set > erased ? set - erased / 2 : erased / 2
}

/** What is in a memtable, by the keys in either direction. */
function contentOf(memtable: SqlitePackedMemtable) {
  const ascending = [...memtable.keysFrom('')]
  const descending = [...memtable.keysBefore(undefined)]
  assert.deepEqual(descending.toReversed(), ascending)
  return ascending.map((text) => [text, cellsOf(memtable, text).map(plain)])
}

/** In the order of `compareCells`; taken in two parts. */
function cellsOf(memtable: SqlitePackedMemtable, text: string): RecordedCell[] {
  const row = memtable.rowOf(text)
  if (row === undefined) return []
  const half = row.size >>> 1
  return [...row.slice(0, half), ...row.slice(half, row.size)]
}

const plain = ({ value, ...place }: RecordedCell) => ({
  ...place,
  value: value === undefined ? 'erased' : Buffer.from(value).toString('hex'),
})

test('a memtable has of each row what was set or erased last at each place, in order, whenever somebody looks', () => {
  fc.assert(
    fc.property(fc.array(record), (records) => {
      const memtable = new SqlitePackedMemtable(1024 * 1024)
      const expected = new Map<string, Map<string, RecordedCell>>()
      for (const [batches, looks] of records) {
        const { packed, cells } = encoded(batches)
        const steps = batches.flatMap((one) => one.steps)
        assert.equal(cells, countOf(steps.flatMap(({ otherwise }) => otherwise)))
        assert.ok(memtable.hasRoomFor(packed.length))
        memtable.add(packed)
        for (const { row, otherwise } of steps) {
          for (const mutation of otherwise) {
            const text = rowKeyText(row)
            const isSet = mutation.kind === 'setCell'
            const { family, qualifier, timestamp } = (
              isSet ? mutation : placeErasedBy(mutation)
            ) as CellPlace
            const value = isSet ? mutation.value : undefined
            const one = { family, qualifier, timestamp, value }
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
      }
    }),
    { numRuns: 300 },
  )
})

test('a memtable says when it has no room, and what it handed out stays as it is', () => {
  const { packed } = encoded([
    {
      kind: 'steps',
      steps: [
        {
          row: Buffer.from('a'),
          ...{ when: [], ifMatched: [] },
          otherwise: [
            {
              kind: 'setCell',
              family: 'data',
              qualifier: '0',
              timestamp: 1,
              value: Buffer.from('x'),
            },
          ],
        },
      ],
    },
  ])
  const memtable = new SqlitePackedMemtable(2 * packed.length)
  memtable.add(packed)
  const [before] = cellsOf(memtable, 'a')
  packed.fill(0)
  assert.ok(memtable.hasRoomFor(packed.length))
  assert.ok(!memtable.hasRoomFor(packed.length + 1))
  assert.deepEqual(cellsOf(memtable, 'a'), [before])
  assert.equal(memtable.bytes, packed.length)
})
