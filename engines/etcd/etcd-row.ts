// SPDX-License-Identifier: Apache-2.0
import type { Cell, Row } from '../../storage/cells/cell.ts'
import { compareCells } from '../../storage/cells/cell-order.ts'
import { CellStoreError } from '../../storage/cells/cell-store.ts'
import { keyAfter } from '../../storage/cells/row-key.ts'
import type { EtcdTransaction, KeyValue, Operation } from './etcd-client.ts'
import type { EtcdLayout } from './etcd-layout.ts'

/** etcd takes 128 operations and 1.5 MB in a transaction, as it is configured by default. */
const OPERATIONS_MAX = 120
const TRANSACTION_BYTES_MAX = 1024 * 1024

/** A row as one image; the revision is that of its head, 0 for a row without cells. */
export type RowImage = { readonly revision: string; readonly cells: readonly Cell[] }

export const NO_ROW: RowImage = { revision: '0', cells: [] }

/**
 * The transaction that makes `after` of the row, if it is still the image that was read: a head is written with every
 * change, so its revision stands for the whole row. Undefined when they are the same. Throws CellStoreError `invalid`
 * for a change that is too large.
 */
export function rowTransaction(
  layout: EtcdLayout,
  row: Uint8Array,
  before: RowImage,
  after: readonly Cell[],
): EtcdTransaction | undefined {
  const head = layout.head(row)
  const headChange: Operation =
    after.length === 0
      ? { requestDeleteRange: { key: head } }
      : { requestPut: { key: head, value: new Uint8Array() } }
  const cellChanges = changes(layout, row, before.cells, after)
  if (cellChanges.length === 0) return undefined
  const success = [headChange, ...cellChanges]
  requireSize(success)
  return {
    compare: [{ key: head, target: 'MOD', result: 'EQUAL', modRevision: before.revision }],
    ...{ success, failure: [] },
  }
}

/** Both lists stand in the order of the keys. Neighbours that are gone are deleted as one range. */
function changes(
  layout: EtcdLayout,
  row: Uint8Array,
  before: readonly Cell[],
  after: readonly Cell[],
): Operation[] {
  const operations: Operation[] = []
  let gone: Cell[] = []
  const deleteGone = () => {
    const [first, last] = [gone[0], gone.at(-1)]
    gone = []
    if (first === undefined || last === undefined) return
    const key = layout.cell(row, first)
    const range = first === last ? {} : { rangeEnd: keyAfter(layout.cell(row, last)) }
    operations.push({ requestDeleteRange: { key, ...range } })
  }
  for (let at = 0, next = 0; at < before.length || next < after.length; ) {
    const [old, wanted] = [before[at], after[next]]
    const order = old === undefined ? 1 : wanted === undefined ? -1 : compareCells(old, wanted)
    if (order < 0) {
      gone.push(old as Cell)
      at += 1
      continue
    }
    deleteGone()
    if (order > 0 || !isSameValue(old as Cell, wanted as Cell)) {
      const { value, ...address } = wanted as Cell
      operations.push({ requestPut: { key: layout.cell(row, address), value } })
    }
    if (order === 0) at += 1
    next += 1
  }
  deleteGone()
  return operations
}

/** Unchanged cells are the same objects, so most are not compared. */
function isSameValue(a: Cell, b: Cell): boolean {
  return a === b || Buffer.compare(a.value, b.value) === 0
}

function requireSize(operations: readonly Operation[]): void {
  if (operations.length > OPERATIONS_MAX) {
    throw new CellStoreError(
      'invalid',
      `A change of a row is at most ${OPERATIONS_MAX} operations of etcd; this one is ${operations.length}.`,
    )
  }
  let bytes = 0
  for (const one of operations) {
    if (!('requestPut' in one)) continue
    bytes += one.requestPut.key.length + one.requestPut.value.length
  }
  if (bytes > TRANSACTION_BYTES_MAX) {
    throw new CellStoreError(
      'invalid',
      `A change of a row has at most ${TRANSACTION_BYTES_MAX} bytes in etcd; this one has ${bytes}.`,
    )
  }
}

/** Consecutive keys as rows, each with all of its cells among them. */
export function rowsOf(layout: EtcdLayout, kvs: readonly KeyValue[]): Row[] {
  const rows: Array<{ key: Buffer; cells: Cell[] }> = []
  for (const { key, value = Buffer.alloc(0) } of kvs) {
    const { row, address } = layout.read(key)
    let last = rows.at(-1)
    if (last === undefined || Buffer.compare(last.key, row) !== 0) {
      last = { key: row, cells: [] }
      rows.push(last)
    }
    last.cells.push({ ...address, value })
  }
  return rows
}
