// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check'
import { FAMILIES, type Row } from '../../storage/cell-store/cell.ts'
import {
  type CellStore,
  CellStoreError,
  type CheckAndMutate,
  type Increment,
  type RowMutations,
  type RowScan,
} from '../../storage/cell-store/cell-store.ts'
import type { DeleteFromColumn, Mutation, SetCell } from '../../storage/cell-store/mutation.ts'
import type { CellSelector, RowFilter } from '../../storage/cell-store/row-filter.ts'
import type { NaiveCellStore } from './naive-cell-store.ts'

/** One call of the contract as data. */
export type Operation =
  | { readonly kind: 'checkAndMutateRow'; readonly row: Uint8Array; readonly step: CheckAndMutate }
  | { readonly kind: 'mutateRows'; readonly entries: readonly RowMutations[] }
  | { readonly kind: 'readRows'; readonly keys: readonly Uint8Array[]; readonly filter: RowFilter }
  | { readonly kind: 'scanRows'; readonly scan: RowScan }
  | {
      readonly kind: 'readModifyWriteRow'
      readonly row: Uint8Array
      readonly increments: readonly Increment[]
    }

/** Runs one operation and tells its answer as text, so that answers compare by their bytes. */
export async function answerOf(store: CellStore | NaiveCellStore, operation: Operation) {
  switch (operation.kind) {
    case 'checkAndMutateRow':
      return `matched ${await store.checkAndMutateRow(operation.row, operation.step)}`
    case 'mutateRows':
      return `errors ${(await store.mutateRows(operation.entries)).map(String)}`
    case 'readRows':
      return (await store.readRows(operation.keys, operation.filter)).map(textOfRow).join('\n')
    case 'scanRows': {
      const rows: string[] = []
      for await (const row of store.scanRows(operation.scan)) rows.push(textOfRow(row))
      return rows.join('\n')
    }
    case 'readModifyWriteRow':
      try {
        return `${await store.readModifyWriteRow(operation.row, operation.increments)}`
      } catch (error) {
        if (error instanceof CellStoreError) return error.kind
        throw error
      }
  }
}

/** Deletes every cell, so that a store can serve many programs: opening one takes longer than they do. */
export async function clear(store: CellStore): Promise<void> {
  const filter = FAMILIES.map((family) => ({ family }))
  const rows = await Array.fromAsync(store.scanRows({ start: new Uint8Array(), filter }))
  await store.mutateRows(
    rows.map(({ key, cells }) => ({
      row: key,
      mutations: cells.map(({ family, qualifier }) => {
        return { kind: 'deleteFromColumn', family, qualifier, timestamps: {} }
      }),
    })),
  )
}

/** A row on one line: `00ff: write "0"@8=6162 lock "0"@7=`. */
export function textOfRow(row: Row | null): string {
  if (row === null) return 'null'
  const cells = row.cells.map(({ family, qualifier, timestamp, value }) => {
    return `${family} ${JSON.stringify(qualifier)}@${timestamp}=${Buffer.from(value).toString('hex')}`
  })
  return `${Buffer.from(row.key).toString('hex')}: ${cells.join(' ')}`
}

// Small alphabets, so that calls meet on the same rows, columns and timestamps all the time.
const rowKey = fc
  .array(fc.constantFrom(0x00, 0x01, 0x7f, 0x80, 0xff), { minLength: 1, maxLength: 3 })
  .map((bytes) => Uint8Array.from(bytes))
const family = fc.constantFrom(...FAMILIES.slice(0, 3))
const qualifier = fc.constantFrom('', '0', 'a', 'a\u0000', '\uffff', '\u{10000}')
const timestamp = fc.constantFrom(0, 1, 2, 3, 4, 1_800_000_000_000_000, Number.MAX_SAFE_INTEGER)
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
export const filter = fc.array(selector, { maxLength: 4 })

export const setCell: fc.Arbitrary<SetCell> = fc.record({
  kind: fc.constant('setCell' as const),
  ...{ family, qualifier, timestamp, value },
})

/** Empties one place, mostly one at which a cell stands. */
export const eraseCell: fc.Arbitrary<DeleteFromColumn> = fc
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

const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({
    kind: fc.constant('checkAndMutateRow' as const),
    row: rowKey,
    step: fc.record({ when: filter, ifMatched: fewMutations, otherwise: fewMutations }),
  }),
  fc.record({
    kind: fc.constant('mutateRows' as const),
    entries: fc.array(
      fc.record({ row: rowKey, mutations: fc.oneof(fewMutations, manyMutations) }),
      { maxLength: 6 },
    ),
  }),
  fc.record({
    kind: fc.constant('readRows' as const),
    keys: fc.array(rowKey, { maxLength: 5 }),
    filter,
  }),
  fc.record({ kind: fc.constant('scanRows' as const), scan }),
  fc.record({
    kind: fc.constant('readModifyWriteRow' as const),
    row: rowKey,
    increments: fc.array(
      fc.record({ family, qualifier, by: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }) }),
      { maxLength: 3 },
    ),
  }),
)

/** Programs whose every answer the contract determines: one call after the other. */
export const program: fc.Arbitrary<Operation[]> = fc.array(operation, {
  minLength: 1,
  maxLength: 25,
  size: 'max',
})
