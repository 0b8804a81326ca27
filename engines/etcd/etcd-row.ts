// SPDX-License-Identifier: Apache-2.0
import type { Cell, Row } from '../../storage/cells/cell.ts'
import { compareCells } from '../../storage/cells/cell-order.ts'
import { keyAfter } from '../../storage/cells/row-key.ts'
import type {
  Comparison,
  EtcdTransaction,
  KeyValue,
  Operation,
  OperationAnswer,
} from './etcd-client.ts'
import type { Column, EtcdLayout } from './etcd-layout.ts'

/** etcd takes 128 operations and 1.5 MB in a transaction, as it is configured by default. */
export const OPERATIONS_MAX = 120
export const TRANSACTION_BYTES_MAX = 1024 * 1024
/** Of a change that is compared by its columns: with more it compares the whole row. */
const COMPARED_MAX = 40

/**
 * A row as one image: it was so at `asOf`, a revision of the store. Its own is that of its head, 0 where it has none.
 */
export type RowImage = {
  readonly revision: string
  readonly asOf: number
  readonly cells: readonly Cell[]
}

/** What is supposed of a row that nothing is known of. */
export const NO_ROW: RowImage = { revision: '0', asOf: 0, cells: [] }

/**
 * The transaction that makes `after` of the row, if it is still the image (E1); else it reads the row. A head is
 * written with every change, so its revision stands for the whole row: while there is no head, there are no cells.
 */
export function rowTransaction(
  layout: EtcdLayout,
  row: Uint8Array,
  image: RowImage,
  after: readonly Cell[],
): EtcdTransaction {
  const head = layout.head(row)
  const cellChanges = changes(layout, row, image.cells, after)
  const headChange: Operation =
    after.length === 0
      ? { requestDeleteRange: { key: head } }
      : { requestPut: { key: head, value: new Uint8Array() } }
  return {
    compare: [{ key: head, target: 'MOD', result: 'EQUAL', modRevision: image.revision }],
    success: cellChanges.length === 0 ? [] : [headChange, ...cellChanges],
    failure: readOperations(layout, row),
  }
}

/**
 * As `rowTransaction` for a change that looks at these columns only: it is made though others of the row have changed
 * since, and the row is read in any case. The head stays, because another column may have got a cell. Undefined for
 * more than can be compared.
 */
export function columnsTransaction(
  layout: EtcdLayout,
  row: Uint8Array,
  image: RowImage,
  { columns, after }: { readonly columns: readonly Column[]; readonly after: readonly Cell[] },
): EtcdTransaction | undefined {
  const compare: Comparison[] = []
  const named = new Map(columns.map((column) => [`${column.family} ${column.qualifier}`, column]))
  for (const column of named.values()) {
    // No cell of it is younger than the image, and those of the image are there.
    const modRevision = String(image.asOf + 1)
    compare.push({ ...layout.column(row, column), target: 'MOD', result: 'LESS', modRevision })
    for (const cell of image.cells) {
      if (cell.family !== column.family || cell.qualifier !== column.qualifier) continue
      const key = layout.cell(row, cell)
      compare.push({ key, target: 'VERSION', result: 'GREATER', version: '0' })
      if (compare.length > COMPARED_MAX) return undefined
    }
  }
  const cellChanges = changes(layout, row, image.cells, after)
  const headChange = { requestPut: { key: layout.head(row), value: new Uint8Array() } }
  const read = readOperations(layout, row)
  const made = cellChanges.length === 0 ? [] : [headChange, ...cellChanges]
  return { compare, success: [...made, ...read], failure: read }
}

/** Its head and its cells; `imageIn` reads the answers. */
export function readOperations(layout: EtcdLayout, row: Uint8Array): Operation[] {
  return [{ requestRange: { key: layout.head(row) } }, { requestRange: layout.cellsOf(row) }]
}

/** Of the last two answers, those to `readOperations`. */
export function imageIn(
  layout: EtcdLayout,
  answers: readonly OperationAnswer[],
  revision: string,
): RowImage {
  const [head] = answers.at(-2)?.responseRange?.kvs ?? []
  const [row] = rowsOf(layout, answers.at(-1)?.responseRange?.kvs ?? [])
  return { revision: head?.modRevision ?? '0', asOf: Number(revision), cells: row?.cells ?? [] }
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

/** The bytes of the keys and values that are written. */
export function writtenBytes(operations: readonly Operation[]): number {
  let bytes = 0
  for (const one of operations) {
    if ('requestPut' in one) bytes += one.requestPut.key.length + one.requestPut.value.length
  }
  return bytes
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
