// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from './cell-store.ts'
import type { Mutation } from './mutation.ts'
import type { RowFilter } from './row-filter.ts'

/** The only column of a row that is written without transactions and holds one value. */
const COLUMN = { family: 'data', qualifier: '0' } as const

/** Undefined where there is none. Rejects with CellStoreError, as the others do. */
export async function readPlainRow(
  cellStore: CellStore,
  row: Uint8Array,
): Promise<Uint8Array | undefined> {
  const [image] = await cellStore.readRows([row], [{ ...COLUMN, newest: 1 }])
  return image?.cells[0]?.value
}

/**
 * Sets the value where exactly `found` stands; undefined is no value. Of several processes that replace one value at
 * once, one does; resolves to whether it was this one. It does no harm to send it twice, or late.
 */
export async function replacePlainRow(
  cellStore: CellStore,
  row: Uint8Array,
  found: Uint8Array | undefined,
  value: Uint8Array,
): Promise<boolean> {
  const set = [setPlain(value)]
  if (found !== undefined) {
    const step = { when: exactly(found), ifMatched: set, otherwise: [] }
    return await cellStore.checkAndMutateRow(row, step)
  }
  const step = { when: [COLUMN], ifMatched: [], otherwise: set }
  return !(await cellStore.checkAndMutateRow(row, step))
}

/** Deletes the value where exactly `found` stands. */
export async function deletePlainRow(
  cellStore: CellStore,
  row: Uint8Array,
  found: Uint8Array,
): Promise<void> {
  const ifMatched = [deletePlain()]
  await cellStore.checkAndMutateRow(row, { when: exactly(found), ifMatched, otherwise: [] })
}

function exactly(value: Uint8Array): RowFilter {
  const values = { start: value, end: Buffer.concat([value, Uint8Array.of(0)]) }
  return [{ ...COLUMN, newest: 1, values }]
}

export function setPlain(value: Uint8Array): Mutation {
  return { ...COLUMN, kind: 'setCell', timestamp: 0, value }
}

/** Whether it is one of `setPlain`: what transactions write has a timestamp. */
export function isPlainValue(mutation: Mutation): boolean {
  return mutation.kind === 'setCell' && mutation.timestamp === 0
}

export function deletePlain(): Mutation {
  return { ...COLUMN, kind: 'deleteFromColumn', timestamps: {} }
}

/** A number that is not negative, in eight bytes that compare as the numbers do. */
export function numberBytes(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(BigInt(value))
  return bytes
}
