// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { arbitraryCalls } from '../../../../test/cell-store/arbitrary-calls.ts'
import type { Cell } from '../../cell.ts'
import { compareCells, compareColumns } from '../../cell-order.ts'
import type { SetCell } from '../../mutation.ts'
import type { CellSelector } from '../../row-filter.ts'
import { PackedReader } from '../groups/packed-buffer.ts'
import { MemtableRow } from './memtable-row.ts'
import { encodeRecord, type RecordedCell, walkRows } from './record.ts'

/** Every look at a cell begins with a move to it. */
class CountingReader extends PackedReader {
  looks = 0

  override moveTo(at: number): void {
    this.looks += 1
    super.moveTo(at)
  }
}

/** Each list of cells is an entry of the row. */
function rowOf(entries: ReadonlyArray<readonly SetCell[]>) {
  const steps = entries.map((otherwise) => ({ row: Buffer.from('row'), otherwise }))
  const bytes = entries.flat().reduce((sum, { value }) => sum + value.length + 99, 0)
  const packed = encodeRecord([{ steps }], new ArrayBuffer(bytes + 99 * entries.length))
  const places: number[] = []
  walkRows(Buffer.from(packed), (from) => places.push(from))
  const reader = new CountingReader(packed)
  return { row: new MemtableRow(reader), reader, places }
}

/** One cell for each place, the last one that came, in the order of the contract. */
function cellsOf(mutations: readonly SetCell[]): Cell[] {
  const cells = new Map<string, Cell>()
  for (const { kind: _, ...cell } of mutations) {
    cells.set(`${cell.family} ${cell.timestamp} ${cell.qualifier}`, cell)
  }
  return [...cells.values()].sort(compareCells)
}

/** As `MemtableRow.newestOf`, by walking through all cells. */
function newestOf(cells: readonly Cell[], selector: CellSelector) {
  const { from = 0, until = Infinity } = selector.timestamps ?? {}
  const newest = selector.newest ?? Infinity
  const found: Cell[] = []
  for (const cell of cells) {
    const { family, qualifier, timestamp } = cell
    if (family !== selector.family || qualifier !== (selector.qualifier ?? qualifier)) continue
    if (timestamp < from || timestamp >= until) continue
    if (found.filter((one) => compareColumns(one, cell) === 0).length < newest) found.push(cell)
  }
  return found
}

const plain = ({ value, ...place }: RecordedCell) => ({
  ...place,
  value: value === undefined ? 'erased' : Buffer.from(value).toString('hex'),
})

const { filter, setCell } = arbitraryCalls()
const entries = fc.array(fc.array(setCell, { maxLength: 4 }), { maxLength: 40, size: 'max' })

test('a row has the newest of each column, whichever entries were added when', () => {
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
      const half = taken % (entries.length + 1)
      for (const [begin, end] of [[0, half] as const, [half, entries.length] as const]) {
        for (const entry of begins.slice(begin, end)) row.add(entry)
        const cells = cellsOf(entries.slice(0, end).flat())
        assert.equal(row.size, cells.length)
        const some = cells.slice(from, from + count)
        assert.deepEqual(row.slice(from, count).map(plain), some.map(plain))
        for (const one of filter) {
          const selector = { ...one, newest }
          const expected = newestOf(cells, selector)
          assert.deepEqual(row.newestOf(selector).map(plain), expected.map(plain))
        }
      }
    }),
    { numRuns: 500 },
  )
})

test('of thousands of cells of a row only those are looked at that are asked for and some on the way', () => {
  const versions = 20_000
  const cell = (family: Cell['family'], timestamp: number) =>
    ({ kind: 'setCell', family, qualifier: '0', timestamp, value: Buffer.from('v') }) as const
  const { row, reader, places } = rowOf(
    Array.from({ length: versions }, (_, at) => [cell('write', at), cell('data', at)]),
  )
  const looks = (work: () => unknown) => {
    const before = reader.looks
    work()
    return reader.looks - before
  }
  const add = (entries: readonly number[]) => () => {
    for (const entry of entries) row.add(entry)
  }
  assert.ok(looks(add(places.slice(0, -10))) < 12 * versions)
  // The entries that came since, and nothing of those before them.
  assert.ok(looks(add(places.slice(-10))) < 200)
  for (const until of [1, 7_000, versions, undefined]) {
    const timestamps = until === undefined ? {} : { until }
    const selector = { family: 'write', qualifier: '0', timestamps } as const
    const newest = until === undefined ? versions - 1 : until - 1
    const first = { ...selector, newest: 1 }
    assert.ok(looks(() => assert.equal(row.newestOf(first)[0]?.timestamp, newest)) < 40)
    const few = { ...selector, timestamps: { ...timestamps, from: newest } }
    assert.ok(looks(() => assert.equal(row.newestOf(few).length, 1)) < 40)
  }
  assert.ok(looks(() => row.slice(10_000, 64)) < 100)
})
