// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check'
import { FAMILIES } from '../../storage/cells/cell.ts'
import type { RowScan } from '../../storage/cells/cell-store.ts'
import type { DeleteFromColumn, Mutation, SetCell } from '../../storage/cells/mutation.ts'
import type { CellSelector } from '../../storage/cells/row-filter.ts'
import type { Operation } from './cell-store-programs.ts'

// Small alphabets, so that calls meet on the same rows, columns and timestamps all the time.
const rowKey = fc
  .array(fc.constantFrom(0x00, 0x01, 0x7f, 0x80, 0xff), { minLength: 1, maxLength: 3 })
  .map((bytes) => Uint8Array.from(bytes))
const family = fc.constantFrom(...FAMILIES.slice(0, 3))
const qualifier = fc.constantFrom('', '0', 'a', 'a\u0000', '\uffff', '\u{10000}')
const value = fc.oneof(
  fc
    .array(fc.constantFrom(0x00, 0x61, 0xff), { maxLength: 2 })
    .map((bytes) => Uint8Array.from(bytes)),
  fc.bigInt({ min: -3n, max: 3n }).map((number) => {
    const counter = Buffer.alloc(8)
    counter.writeBigInt64BE(number)
    return counter
  }),
)
function programOf(operation: fc.Arbitrary<Operation>): fc.Arbitrary<Operation[]> {
  return fc.array(operation, { minLength: 1, maxLength: 25, size: 'max' })
}

const increment = fc.record({
  kind: fc.constant('readModifyWriteRow' as const),
  row: rowKey,
  increments: fc.array(
    fc.record({ family, qualifier, by: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }) }),
    { maxLength: 3 },
  ),
})
/** The newest cells of columns, whatever their timestamps are. */
const newestCells = fc.array(
  fc.record({ family, qualifier, newest: fc.constant(1) }, { requiredKeys: ['family', 'newest'] }),
  { minLength: 1, maxLength: 3 },
)

/** The timestamp of a counter is the engine's own choice, so nothing here asks for one. */
const counterOperation: fc.Arbitrary<Operation> = fc.oneof(
  increment,
  fc.record({
    kind: fc.constant('checkAndMutateRow' as const),
    row: rowKey,
    step: fc.record({
      when: newestCells,
      ifMatched: fc.array(
        fc.record({
          kind: fc.constant('deleteFromColumn' as const),
          ...{ family, qualifier, timestamps: fc.constant({}) },
        }),
        { maxLength: 2 },
      ),
      otherwise: fc.constant([]),
    }),
  }),
  fc.record({
    kind: fc.constant('readRows' as const),
    keys: fc.array(rowKey, { maxLength: 5 }),
    filter: newestCells,
  }),
)

function arbitraryParts(timestampMax: number) {
  const timestamp = fc.constantFrom(0, 1, 2, 3, 4, 1_800_000_000_000_000, timestampMax)
  const timestamps = fc.record({ from: timestamp, until: timestamp }, { requiredKeys: [] })

  const selector: fc.Arbitrary<CellSelector> = fc.record(
    {
      family,
      qualifier,
      timestamps,
      newest: fc.integer({ min: 1, max: 3 }),
      values: fc.record({ start: value, end: value }, { requiredKeys: ['start'] }),
    },
    { requiredKeys: ['family'] },
  )
  const filter = fc.array(selector, { maxLength: 4 })

  const setCell: fc.Arbitrary<SetCell> = fc.record({
    kind: fc.constant('setCell' as const),
    ...{ family, qualifier, timestamp, value },
  })

  /** Empties one place, mostly one at which a cell stands. */
  const eraseCell: fc.Arbitrary<DeleteFromColumn> = fc
    .record({ family, qualifier, from: fc.constantFrom(0, 1, 2, 3, 4) })
    .map(({ from, ...column }) => {
      return { kind: 'deleteFromColumn', ...column, timestamps: { from, until: from + 1 } }
    })

  const mutation: fc.Arbitrary<Mutation> = fc.oneof(
    { weight: 4, arbitrary: setCell },
    { weight: 1, arbitrary: eraseCell },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('deleteFromColumn' as const),
        ...{ family, qualifier, timestamps },
      }),
    },
  )
  return { filter, setCell, eraseCell, mutation }
}

function arbitraryOperation({ filter, mutation }: ReturnType<typeof arbitraryParts>) {
  const fewMutations = fc.array(mutation, { maxLength: 4 })
  // Enough for a row to hold more cells than a sweep takes at once.
  const manyMutations = fc.array(mutation, { minLength: 30, maxLength: 60, size: 'max' })

  const scan: fc.Arbitrary<RowScan> = fc.record(
    {
      start: fc.oneof(fc.constant(new Uint8Array()), rowKey),
      filter,
      end: rowKey,
      reverse: fc.boolean(),
      limit: fc.integer({ min: 0, max: 5 }),
    },
    { requiredKeys: ['start', 'filter'] },
  )

  const ranges = fc
    .uniqueArray(rowKey, { maxLength: 6, selector: (key) => Buffer.from(key).toString('hex') })
    .map((keys) => keys.toSorted(Buffer.compare))
    .map((keys) =>
      keys.flatMap((start, at) => {
        const end = keys[at + 1]
        return at % 2 === 0 && end !== undefined ? [{ start, end }] : []
      }),
    )

  const operation: fc.Arbitrary<Operation> = fc.oneof(
    fc.record({
      kind: fc.constant('checkAndMutateRow' as const),
      row: rowKey,
      step: fc.record({ when: filter, ifMatched: fewMutations, otherwise: fewMutations }),
    }),
    fc.record({
      kind: fc.constant('checkAndMutateRows' as const),
      steps: fc.uniqueArray(
        fc.record({ row: rowKey, when: filter, ifMatched: fewMutations, otherwise: fewMutations }),
        { maxLength: 6, selector: ({ row }) => Buffer.from(row).toString('hex') },
      ),
    }),
    fc.record({
      kind: fc.constant('mutateRows' as const),
      entries: fc.uniqueArray(
        fc.record({ row: rowKey, mutations: fc.oneof(fewMutations, manyMutations) }),
        { maxLength: 6, selector: ({ row }) => Buffer.from(row).toString('hex') },
      ),
    }),
    fc.record({
      kind: fc.constant('readRows' as const),
      keys: fc.array(rowKey, { maxLength: 5 }),
      filter,
    }),
    fc.record({ kind: fc.constant('scanRows' as const), scan }),
    fc.record({ kind: fc.constant('scanRanges' as const), ranges, filter }),
  )

  return operation
}

/** Random calls and their parts, whose cells have timestamps up to `timestampMax`. */
export function arbitraryCalls(timestampMax: number = Number.MAX_SAFE_INTEGER) {
  const parts = arbitraryParts(timestampMax)
  const operation = arbitraryOperation(parts)
  const { filter, setCell, eraseCell } = parts
  return {
    filter,
    setCell,
    eraseCell,
    /** Programs whose every answer the contract determines: one call after the other. */
    program: programOf(operation),
    /** The timestamp of a counter is the engine's own choice: compare these without timestamps. */
    counterProgram: programOf(counterOperation),
    /** For an engine that leaves a counter where it stands. */
    mixedProgram: programOf(fc.oneof(operation, increment)),
  }
}
