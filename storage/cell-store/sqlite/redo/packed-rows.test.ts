// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { unconditionalStep } from '../../embedded-cell-store.ts'
import { encodedBytesMax } from '../groups/group-encoding.ts'
import type { StepsBatch } from '../groups/write-batch.ts'
import { PackedRows } from './packed-rows.ts'
import { encodeRecord } from './redo-record.ts'

/** A record that sets a cell of each of these rows, some of which may be the same. */
function recordOf(keys: readonly string[]): Uint8Array {
  const steps = keys.map((text) =>
    unconditionalStep(Buffer.from(text, 'latin1'), [
      { kind: 'setCell', family: 'data', qualifier: '0', timestamp: 1, value: Buffer.from('x') },
    ]),
  )
  const batch: StepsBatch = { kind: 'steps', steps }
  return encodeRecord([batch], encodedBytesMax(batch)).packed
}

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

test('thousands of rows are found by their keys, with all their entries, and told in order from any key', () => {
  const looks = fc.array(fc.constantFrom('', 'a', 'a1', 'row/', 'row/10', 'row/zzz', '\xff\xff1'), {
    maxLength: 4,
  })
  fc.assert(
    fc.property(fc.array(fc.tuple(rows, looks), { maxLength: 6 }), (added) => {
      const memory = Buffer.alloc(1024 * 1024)
      const packed = new PackedRows(memory)
      const entries = new Map<string, number>()
      let used = 0
      for (const [some, looks] of added) {
        const keys = keysOf(some)
        const record = recordOf(keys)
        memory.set(record, used)
        packed.add(used, used + record.length)
        used += record.length
        for (const key of keys) entries.set(key, (entries.get(key) ?? 0) + 1)
        const sorted = [...entries.keys()].sort()
        for (const look of looks) {
          const behind = sorted.filter((key) => key >= look)
          const before = sorted.filter((key) => key < look).reverse()
          assert.deepEqual([...packed.keysFrom(look)], behind)
          assert.deepEqual([...packed.keysBefore(look)], before)
          assert.equal(packed.find(look) !== undefined, entries.has(look))
        }
      }
      assert.deepEqual([...packed.keysBefore(undefined)], [...entries.keys()].sort().reverse())
      for (const [key, count] of entries) assert.equal(placesOf(packed, key).length, count)
    }),
    { numRuns: 40 },
  )
})

test('the entries of a row lead from the newest to the oldest place', () => {
  const records = ['b', 'a', 'b'].map((key) => recordOf([key]))
  const memory = Buffer.concat(records)
  const packed = new PackedRows(memory)
  packed.add(0, memory.length)
  const each = memory.length / 3
  assert.deepEqual(placesOf(packed, 'b'), [2 * each, 0])
  assert.deepEqual(placesOf(packed, 'a'), [each])
  assert.deepEqual(placesOf(packed, 'c'), [])
})

/** Where the row begins in memory, the newest place first. */
function placesOf(packed: PackedRows, key: string): number[] {
  const places: number[] = []
  let entry = packed.find(key)
  for (; entry !== undefined; entry = packed.earlier(entry)) places.push(packed.placeOf(entry))
  return places
}
