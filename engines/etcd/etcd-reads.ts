// SPDX-License-Identifier: Apache-2.0
import type { Row } from '../../storage/cells/cell.ts'
import type { KeyRange as RowRange, RowScan, ScanMark } from '../../storage/cells/cell-store.ts'
import { CellStoreError } from '../../storage/cells/cell-store.ts'
import { ReadAttempts } from '../network/call-errors.ts'
import type { EtcdClient, KeyRange, KeyValue, RangeAnswer } from './etcd-client.ts'
import type { EtcdLayout } from './etcd-layout.ts'
import { imageIn, NO_ROW, type RowImage, readOperations, rowsOf } from './etcd-row.ts'
import type { RowImages } from './row-images.ts'

/** Two operations for each row: its head and its cells. */
const ROWS_PER_READ = 60
const READS_AT_ONCE = 8
const RANGES_PER_READ = 120
/** A page of a scan begins with this many cells, and later ones have about as many as are this many bytes. */
const PAGE_CELLS = 256
const PAGE_BYTES = 1024 * 1024

/** Linearizable reads, asked again where another member may answer. Rejects with CellStoreError. */
export class EtcdReads {
  readonly #client: EtcdClient
  readonly #layout: EtcdLayout
  readonly #images: RowImages

  constructor(client: EtcdClient, layout: EtcdLayout, images: RowImages) {
    this.#client = client
    this.#layout = layout
    this.#images = images
  }

  /** An image for each row, remembered for the change that may follow. */
  async images(rows: readonly Uint8Array[]): Promise<RowImage[]> {
    const images: RowImage[] = []
    for (let at = 0; at < rows.length; at += READS_AT_ONCE * ROWS_PER_READ) {
      const some = rows.slice(at, at + READS_AT_ONCE * ROWS_PER_READ)
      const reads = Array.from({ length: Math.ceil(some.length / ROWS_PER_READ) }, (_, read) =>
        this.#imagesAtOnce(some.slice(read * ROWS_PER_READ, (read + 1) * ROWS_PER_READ)),
      )
      images.push(...(await Promise.all(reads)).flat())
    }
    return images
  }

  async #imagesAtOnce(rows: readonly Uint8Array[]): Promise<RowImage[]> {
    const success = rows.flatMap((row) => readOperations(this.#layout, row))
    const { responses = [], header } = await retried(() =>
      this.#client.transaction({ compare: [], success, failure: [] }),
    )
    return rows.map((row, at) => {
      const image = imageIn(this.#layout, responses.slice(2 * at, 2 * at + 2), header.revision)
      this.#images.remember(row, image)
      return image
    })
  }

  /** Whole rows of [start, end), in order; `beforeEach` may throw. */
  async *scan(
    scan: Omit<RowScan, 'filter'>,
    beforeEach: () => void,
    { firstPage, since }: Begun = {},
  ): AsyncIterable<Row> {
    const { start, end, reverse = false, signal } = scan
    if (end !== undefined && Buffer.compare(start, end) >= 0) return
    let from: Buffer = this.#layout.cellsFrom(start)
    let until: Buffer = end === undefined ? this.#layout.cellsEnd : this.#layout.cellsFrom(end)
    let cells = PAGE_CELLS
    for (let read = firstPage; ; read = undefined) {
      signal?.throwIfAborted()
      beforeEach()
      const range: KeyRange = { key: from, rangeEnd: until, limit: String(cells), ...since }
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

  /**
   * The first pages of all ranges are read together. The mark is the revision of the first of these reads; of the rows
   * that were put since only the cells that were.
   */
  async *scanRanges(
    ranges: readonly RowRange[],
    beforeEach: () => void,
    mark?: ScanMark,
  ): AsyncIterable<Row> {
    const since = sinceOf(mark)
    let seen: string | undefined
    for (let at = 0; at < ranges.length; at += RANGES_PER_READ) {
      const some = ranges.slice(at, at + RANGES_PER_READ)
      const success = some.map(({ start, end }) => {
        const [key, rangeEnd] = [this.#layout.cellsFrom(start), this.#layout.cellsFrom(end)]
        return { requestRange: { key, rangeEnd, limit: String(PAGE_CELLS), ...since } }
      })
      const { header, responses = [] } = await retried(() =>
        this.#client.transaction({ compare: [], success, failure: [] }),
      )
      seen ??= header.revision
      if (since !== undefined && BigInt(seen) < BigInt(since.minModRevision) - 1n) {
        // An older copy of the etcd was put in its place, where revisions mean something else.
        ;(mark as ScanMark).seen = undefined
        throw new CellStoreError('notApplied', 'The revisions of etcd have gone back.')
      }
      for (const [index, range] of some.entries()) {
        const firstPage = responses[index]?.responseRange
        yield* this.scan(range, beforeEach, { firstPage, since })
      }
    }
    if (mark !== undefined) mark.seen = seen
  }

  async #page(range: KeyRange, reverse: boolean, signal?: AbortSignal): Promise<RangeAnswer> {
    const sorted = reverse ? { ...range, sortOrder: 'DESCEND' as const } : range
    return await retried(() => this.#client.range(sorted), signal)
  }

  /** Undefined when it has been deleted meanwhile. */
  async #rowOf(key: Uint8Array): Promise<Row | undefined> {
    const [{ cells } = NO_ROW] = await this.images([key])
    return cells.length === 0 ? undefined : { key, cells }
  }
}

/** What was read already, and from which revision on. */
type Begun = {
  readonly firstPage?: RangeAnswer | undefined
  readonly since?: Since | undefined
}
type Since = { readonly minModRevision: string }

function sinceOf(mark: ScanMark | undefined): Since | undefined {
  if (mark?.seen === undefined) return undefined
  return { minModRevision: String(BigInt(mark.seen as string) + 1n) }
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
