// SPDX-License-Identifier: Apache-2.0
import type { Row } from '../../storage/cells/cell.ts'
import type { KeyRange, RowScan } from '../../storage/cells/cell-store.ts'
import { compareRowKeys, keyAfter, keyString } from '../../storage/cells/row-key.ts'
import { invariant } from '../../storage/invariant.ts'
import { ReadAttempts } from '../network/call-errors.ts'
import type { StreamCalls, WireFilter } from './bigtable-messages.ts'
import type { OpenedTable } from './bigtable-table.ts'
import { RowAssembler, wireRange } from './row-encoding.ts'

/** Of one request for single rows. */
const KEYS_MAX = 10_000
const KEY_BYTES_MAX = 1024 * 1024
/** A scan asks for this many rows at a time, each time behind the last one. */
const PAGE_ROWS = 1_000

type Rows = StreamCalls['ReadRows']['request']['rows']
type Names = { readonly tableName: string; readonly appProfileId: string }

/** ReadRows, asked again where it broke off. Rejects with CellStoreError. */
export class RowReads {
  readonly #table: OpenedTable
  readonly #names: Names

  constructor(table: OpenedTable, names: Names) {
    this.#table = table
    this.#names = names
  }

  /** One row for each key; null where the filter leaves no cell. */
  async rows(keys: readonly Uint8Array[], filter: WireFilter): Promise<Array<Row | null>> {
    const found = new Map<string, Row>()
    const requested = new Map(
      keys
        .filter((key) => key.length <= this.#table.limits.rowKeyBytesMax)
        .map((key) => [keyString(key), key]),
    )
    for (const part of partsOf([...requested.values()])) await this.#readPart(part, filter, found)
    return keys.map((key) => found.get(keyString(key)) ?? null)
  }

  /** A part is never empty: no keys at all would be all rows of the table. */
  async #readPart(
    keys: readonly Uint8Array[],
    filter: WireFilter,
    found: Map<string, Row>,
  ): Promise<void> {
    const attempts = new ReadAttempts()
    for (let left = keys; left.length > 0; ) {
      try {
        for await (const row of this.#request({ rowKeys: left }, filter)) {
          found.set(keyString(row.key), row)
          attempts.progress()
        }
        return
      } catch (error) {
        await attempts.pauseAfter(error)
        left = left.filter((key) => !found.has(keyString(key)))
      }
    }
  }

  async *scan(scan: RowScan, filter: WireFilter): AsyncIterable<Row> {
    const { reverse = false, limit = Infinity } = scan
    if (reverse && !this.#table.hasReverseScans) yield* this.#backwardByForward(scan, filter)
    else yield* this.#pages([scan], filter, { ...scan, reverse, limit })
  }

  scanRanges(ranges: readonly KeyRange[], filter: WireFilter): AsyncIterable<Row> {
    return this.#pages(ranges, filter, { reverse: false, limit: Infinity })
  }

  /** Rows of ranges that ascend; with `reverse` there is one. */
  async *#pages(
    ranges: readonly OpenRange[],
    filter: WireFilter,
    { reverse, limit, signal }: PageOptions,
  ): AsyncIterable<Row> {
    const attempts = new ReadAttempts()
    let last: Row | undefined
    for (let left = limit; left > 0; ) {
      const rowRanges = this.#wireRanges(ranges, last?.key, reverse)
      if (rowRanges.length === 0) return
      const wanted = Math.min(left, PAGE_ROWS)
      let rows = 0
      try {
        const page = { limit: wanted, reverse, signal }
        for await (const row of this.#request({ rowRanges }, filter, page)) {
          if (last !== undefined) requireOrder(last, row, reverse)
          last = row
          attempts.progress()
          rows += 1
          left -= 1
          yield row
        }
        if (rows < wanted) return
      } catch (error) {
        signal?.throwIfAborted()
        await attempts.pauseAfter(error, signal)
        signal?.throwIfAborted()
      }
    }
  }

  /** What is left of the ranges behind the last row. */
  #wireRanges(ranges: readonly OpenRange[], last: Uint8Array | undefined, reverse: boolean) {
    return ranges.flatMap(({ start, end }) => {
      const from = last !== undefined && !reverse ? laterOf(start, keyAfter(last)) : start
      const until = last !== undefined && reverse ? last : end
      const range = { start: from, ...(until === undefined ? {} : { end: until }) }
      return wireRange(range, this.#keyBytesMax) ?? []
    })
  }

  /** For an engine that answers forward whatever it is asked: the last rows of the range, page after page. */
  async *#backwardByForward(scan: RowScan, filter: WireFilter): AsyncIterable<Row> {
    let { end, limit: left = Infinity } = scan
    while (left > 0) {
      const wanted = Math.min(left, PAGE_ROWS)
      let page: Row[] = []
      const forward = { ...scan, ...(end === undefined ? {} : { end }) }
      const options = { reverse: false, limit: Infinity, signal: scan.signal }
      for await (const row of this.#pages([forward], filter, options)) {
        page.push(row)
        if (page.length >= 2 * wanted) page = page.slice(-wanted)
      }
      page = page.slice(-wanted)
      for (const row of page.toReversed()) yield row
      if (page.length < wanted) return
      left -= page.length
      end = (page[0] as Row).key
    }
  }

  async *#request(
    rows: Rows,
    filter: WireFilter,
    {
      limit,
      reverse = false,
      signal,
    }: { limit?: number; reverse?: boolean; signal?: AbortSignal | undefined } = {},
  ): AsyncIterable<Row> {
    const request = {
      ...{ ...this.#names, rows, filter },
      ...(limit === undefined ? {} : { rowsLimit: String(limit) }),
      ...(reverse ? { reversed: true } : {}),
    }
    const assembler = new RowAssembler()
    for await (const { chunks = [] } of this.#table.transport.stream('ReadRows', request, signal)) {
      yield* assembler.rowsOf(chunks)
    }
  }

  get #keyBytesMax(): number {
    return this.#table.limits.rowKeyBytesMax
  }
}

type OpenRange = Pick<RowScan, 'start' | 'end'>

type PageOptions = {
  readonly reverse: boolean
  readonly limit: number
  readonly signal?: AbortSignal | undefined
}

function laterOf(one: Uint8Array, other: Uint8Array): Uint8Array {
  return compareRowKeys(one, other) < 0 ? other : one
}

/** A scan that repeats or skips would be believed: what goes on from the last row depends on the order. */
function requireOrder(last: Row, next: Row, reverse: boolean): void {
  const order = compareRowKeys(last.key, next.key)
  invariant(reverse ? order > 0 : order < 0, 'B1', { last: keyString(last.key) })
}

function* partsOf(keys: readonly Uint8Array[]): Iterable<readonly Uint8Array[]> {
  let part: Uint8Array[] = []
  let bytes = 0
  for (const key of keys.toSorted(compareRowKeys)) {
    if (part.length >= KEYS_MAX || (part.length > 0 && bytes + key.length > KEY_BYTES_MAX)) {
      yield part
      part = []
      bytes = 0
    }
    part.push(key)
    bytes += key.length
  }
  if (part.length > 0) yield part
}
