// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { eraseCell, filter, setCell } from '../../../../test/cell-store/cell-store-programs.ts'
import { type CellPlace, compareCells, compareColumns } from '../../cell-order.ts'
import { unconditionalStep } from '../../embedded-cell-store.ts'
import { type Mutation, placeErasedBy } from '../../mutation.ts'
import type { CellSelector } from '../../row-filter.ts'
import { encodedBytesMax } from '../groups/group-encoding.ts'
import { PackedReader } from '../groups/packed-buffer.ts'
import type { StepsBatch } from '../groups/write-batch.ts'
import { PackedRow } from './packed-row.ts'
import { encodeRecord, type RecordedCell, walkRows } from './redo-record.ts'

/** Every look at a cell begins with a move to it. */
class CountingReader extends PackedReader {
  looks = 0

  override moveTo(at: number): void {
    this.looks += 1
    super.moveTo(at)
  }
}

/** Each list of mutations is an entry of the row. */
function rowOf(entries: ReadonlyArray<readonly Mutation[]>) {
  const steps = entries.map((mutations) => unconditionalStep(Buffer.from('row'), mutations))
  const batch: StepsBatch = { kind: 'steps', steps }
  const { packed } = encodeRecord([batch], encodedBytesMax(batch))
  const places: number[] = []
  walkRows(Buffer.from(packed), (at) => places.push(at))
  const reader = new CountingReader(packed)
  return { row: new PackedRow(reader), reader, places }
}

/** One cell for each place, the last one that came, in the order of the contract. */
function cellsOf(mutations: readonly Mutation[]): RecordedCell[] {
  const cells = new Map<string, RecordedCell>()
  for (const mutation of mutations) {
    const isSet = mutation.kind === 'setCell'
    const place = (isSet ? mutation : placeErasedBy(mutation)) as CellPlace
    const { family, qualifier, timestamp } = place
    const value = isSet ? mutation.value : undefined
    cells.set(`${family} ${timestamp} ${qualifier}`, { family, qualifier, timestamp, value })
  }
  return [...cells.values()].sort(compareCells)
}

/** As `PackedRow.newestOf`, by walking through all cells. */
function newestOf(cells: readonly RecordedCell[], selector: CellSelector, newest: number) {
  const { from = 0, until = Infinity } = selector.timestamps ?? {}
  const set: RecordedCell[] = []
  let erased = 0
  for (const cell of cells) {
    const { family, qualifier, timestamp, value } = cell
    if (family !== selector.family || qualifier !== (selector.qualifier ?? qualifier)) continue
    if (timestamp < from || timestamp >= until) continue
    if (set.filter((one) => compareColumns(one, cell) === 0).length === newest) continue
    if (value === undefined) erased += 1
    else set.push(cell)
  }
  return { set, erased }
}

const plain = ({ value, ...place }: RecordedCell) => ({
  ...place,
  value: value === undefined ? 'erased' : Buffer.from(value).toString('hex'),
})

const mutation = fc.oneof({ weight: 2, arbitrary: setCell }, { weight: 1, arbitrary: eraseCell })
const entries = fc.array(fc.array(mutation, { maxLength: 4 }), { maxLength: 40, size: 'max' })

test('a row has the newest of each column, and tells what is erased, whichever entries it took up when', () => {
  const scenario = fc.record({
    // What is encoded has no empty rows.
    entries: entries.map((all) => all.filter((one) => one.length > 0)),
    taken: fc.nat(),
    filter,
    newest: fc.constantFrom(1, 2, 5, Infinity),
    from: fc.nat({ max: 20 }),
    count: fc.nat({ max: 20 }),
  })
  fc.assert(
    fc.property(scenario, ({ entries, taken, filter, newest, from, count }) => {
      const { row, places: begins } = rowOf(entries)
      const places = cellsOf(entries.flat())
      const half = taken % (entries.length + 1)
      for (const [begin, end] of [[0, half] as const, [half, entries.length] as const]) {
        row.add(begins.slice(begin, end))
        const cells = cellsOf(entries.slice(0, end).flat())
        assert.equal(row.size, cells.length)
        const some = cells.slice(from, from + count)
        assert.deepEqual(row.slice(from, count).map(plain), some.map(plain))
        for (const place of places.flatMap(neighboursOf)) {
          const there = cells.find((cell) => compareCells(cell, place) === 0)
          assert.equal(row.erases(place), there !== undefined && there.value === undefined)
        }
        for (const selector of filter) {
          const found = row.newestOf(selector, newest)
          const expected = newestOf(cells, selector, newest)
          assert.deepEqual(found.set.map(plain), expected.set.map(plain))
          assert.equal(found.erased, expected.erased)
        }
      }
    }),
    { numRuns: 500 },
  )
})

test('of thousands of cells of a row only those are looked at that are asked for and some on the way', () => {
  const versions = 20_000
  const { row, reader, places } = rowOf(
    Array.from({ length: versions }, (_, at) => [
      { ...cellAt('write', at), kind: 'setCell', value: Buffer.from('v') } as const,
      {
        kind: 'deleteFromColumn',
        family: 'lock',
        qualifier: '0',
        timestamps: { from: at, until: at + 1 },
      } as const,
    ]),
  )
  const looks = (work: () => unknown) => {
    const before = reader.looks
    work()
    return reader.looks - before
  }
  assert.ok(looks(() => row.add(places.slice(0, -10))) < 12 * versions)
  // The entries that came since, and nothing of those before them.
  assert.ok(looks(() => row.add(places.slice(-10))) < 200)
  for (const until of [1, 7_000, versions, undefined]) {
    const timestamps = until === undefined ? {} : { until }
    const selector = { family: 'write', qualifier: '0', timestamps } as const
    const newest = until === undefined ? versions - 1 : until - 1
    assert.ok(looks(() => assert.equal(row.newestOf(selector, 1).set[0]?.timestamp, newest)) < 40)
    const few = { ...selector, timestamps: { ...timestamps, from: newest } }
    assert.ok(looks(() => assert.equal(row.newestOf(few, Infinity).set.length, 1)) < 40)
    assert.ok(looks(() => assert.ok(row.erases(cellAt('lock', newest)))) < 40)
  }
  assert.ok(looks(() => row.slice(10_000, 64)) < 100)
})

function neighboursOf({ family, qualifier, timestamp }: CellPlace): CellPlace[] {
  return [timestamp - 1, timestamp, timestamp + 1].map((at) => {
    return { family, qualifier, timestamp: at }
  })
}

function cellAt(family: CellPlace['family'], timestamp: number): CellPlace {
  return { family, qualifier: '0', timestamp }
}
