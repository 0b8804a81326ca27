// SPDX-License-Identifier: Apache-2.0
import type { Row } from '../../storage/cells/cell.ts'
import type { KeyRange as RowRange, RowScan } from '../../storage/cells/cell-store.ts'
import { ReadAttempts } from '../network/call-errors.ts'
import type { EtcdClient, KeyRange, KeyValue, Operation, RangeAnswer } from './etcd-client.ts'
import type { EtcdLayout } from './etcd-layout.ts'
import { NO_ROW, type RowImage, rowsOf } from './etcd-row.ts'

/** Two operations for each row: its head and its cells. */
const ROWS_PER_READ = 60
const RANGES_PER_READ = 120
/** A page of a scan begins with this many cells, and later ones have about as many as are this many bytes. */
const PAGE_CELLS = 256
const PAGE_BYTES = 1024 * 1024

/** Linearizable reads, asked again where another member may answer. Rejects with CellStoreError. */
export class EtcdReads {
  readonly #client: EtcdClient
  readonly #layout: EtcdLayout

  constructor(client: EtcdClient, layout: EtcdLayout) {
    this.#client = client
    this.#layout = layout
  }

  async image(row: Uint8Array): Promise<RowImage> {
    const [image] = await this.images([row])
    return image as RowImage
  }

  /** An image for each row; those of one read are of one revision. */
  async images(rows: readonly Uint8Array[]): Promise<RowImage[]> {
    const images: RowImage[] = []
    for (let at = 0; at < rows.length; at += ROWS_PER_READ) {
      images.push(...(await this.#imagesAtOnce(rows.slice(at, at + ROWS_PER_READ))))
    }
    return images
  }

  async #imagesAtOnce(rows: readonly Uint8Array[]): Promise<RowImage[]> {
    const success: Operation[] = rows.flatMap((row) => [
      { requestRange: { key: this.#layout.head(row) } },
      { requestRange: this.#layout.cellsOf(row) },
    ])
    const { responses = [] } = await retried(() =>
      this.#client.transaction({ compare: [], success, failure: [] }),
    )
    return rows.map((_, at) => {
      const [head] = responses[2 * at]?.responseRange?.kvs ?? []
      const [row] = rowsOf(this.#layout, responses[2 * at + 1]?.responseRange?.kvs ?? [])
      return head === undefined ? NO_ROW : { revision: head.modRevision, cells: row?.cells ?? [] }
    })
  }

  /** Whole rows of [start, end), in order; `beforeEach` may throw. `firstPage` has been read already. */
  async *scan(
    scan: Omit<RowScan, 'filter'>,
    beforeEach: () => void,
    firstPage?: RangeAnswer,
  ): AsyncIterable<Row> {
    const { start, end, reverse = false, signal } = scan
    if (end !== undefined && Buffer.compare(start, end) >= 0) return
    let from: Buffer = this.#layout.cellsFrom(start)
    let until: Buffer = end === undefined ? this.#layout.cellsEnd : this.#layout.cellsFrom(end)
    let cells = PAGE_CELLS
    for (let read = firstPage; ; read = undefined) {
      signal?.throwIfAborted()
      beforeEach()
      const range: KeyRange = { key: from, rangeEnd: until, limit: String(cells) }
      const { kvs = [], more = false } = read ?? (await this.#page(range, reverse, signal))
      const rows = rowsOf(this.#layout, reverse ? kvs.toReversed() : kvs)
      if (reverse) rows.reverse()
      // The last row may go on behind the page, and a row is one image.
      const cut = more ? rows.pop() : undefined
      const whole = cut !== undefined && rows.length === 0 ? await this.#rowOf(cut.key) : undefined
      for (const row of whole === undefined ? rows : [whole]) {
        signal?.throwIfAborted()
        beforeEach()
        yield row
      }
      if (cut === undefined) return
      const next = this.#layout.cellsOf(cut.key)
      const isPassed = rows.length === 0
      if (reverse) until = isPassed ? next.key : next.rangeEnd
      else from = isPassed ? next.rangeEnd : next.key
      cells = cellsOfNextPage(kvs)
    }
  }

  /** The first pages of all ranges are read together. */
  async *scanRanges(ranges: readonly RowRange[], beforeEach: () => void): AsyncIterable<Row> {
    for (let at = 0; at < ranges.length; at += RANGES_PER_READ) {
      const some = ranges.slice(at, at + RANGES_PER_READ)
      const success = some.map(({ start, end }) => {
        const [key, rangeEnd] = [this.#layout.cellsFrom(start), this.#layout.cellsFrom(end)]
        return { requestRange: { key, rangeEnd, limit: String(PAGE_CELLS) } }
      })
      const { responses = [] } = await retried(() =>
        this.#client.transaction({ compare: [], success, failure: [] }),
      )
      for (const [index, range] of some.entries()) {
        yield* this.scan(range, beforeEach, responses[index]?.responseRange)
      }
    }
  }

  async #page(range: KeyRange, reverse: boolean, signal?: AbortSignal): Promise<RangeAnswer> {
    const sorted = reverse ? { ...range, sortOrder: 'DESCEND' as const } : range
    return await retried(() => this.#client.range(sorted), signal)
  }

  /** Undefined when it has been deleted meanwhile. */
  async #rowOf(key: Uint8Array): Promise<Row | undefined> {
    const { cells } = await this.image(key)
    return cells.length === 0 ? undefined : { key, cells }
  }
}

function cellsOfNextPage(kvs: readonly KeyValue[]): number {
  const bytes = kvs.reduce((sum, { key, value }) => sum + key.length + (value?.length ?? 0), 0)
  const wanted = Math.floor((kvs.length * PAGE_BYTES) / Math.max(bytes, 1))
  return Math.min(Math.max(wanted, 16), 4 * PAGE_CELLS)
}

async function retried<T>(read: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const attempts = new ReadAttempts()
  for (;;) {
    try {
      return await read()
    } catch (error) {
      await attempts.pauseAfter(error, signal)
      signal?.throwIfAborted()
    }
  }
}
