// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from '../../../storage/cells/cell-store.ts'
import { decoratedStore } from '../../../storage/cells/decorated-cell-store.ts'
import { readPlainRow } from '../../../storage/cells/plain-row.ts'
import { keyString } from '../../../storage/cells/row-key.ts'
import { MARK_ROW } from '../../../storage/operations/garbage-collection/collection-mark.ts'
import {
  RANGES_PREFIX,
  scanRangeRows,
} from '../../../storage/operations/garbage-collection/range-row.ts'
import { decodeStartTs } from '../../../storage/transactions/records/write-record.ts'
import type { Counters } from '../sometimes.ts'
import type { Violations } from './violations.ts'

const PREFIX = keyString(RANGES_PREFIX)
const MARK = keyString(MARK_ROW)

type Findings = { readonly violations: Violations; readonly counters: Counters }

/**
 * The store, with a look at it whenever gateways that share a collection say how far it is (G2): before the first range
 * is deleted from, all ranges of locks are done and no lock of a transaction below the safe point is left; and when all
 * has been collected, of each column one version at most below it.
 */
export function collectionsWatched(cells: CellStore, findings: Findings): CellStore {
  const watch = new CollectionWatch(cells, findings)
  return decoratedStore(cells, {
    mutateRows: async (entries) => {
      const before = await watch.before(entries.map(({ row }) => row))
      const errors = await cells.mutateRows(entries)
      await watch.after(before)
      return errors
    },
    checkAndMutateRow: async (row, step) => {
      const before = await watch.before([row])
      const matched = await cells.checkAndMutateRow(row, step)
      await watch.after(before)
      return matched
    },
  })
}

/** Rows of which it has to be known what they said, by name. */
type Before = ReadonlyMap<string, string>

class CollectionWatch {
  readonly #cells: CellStore
  readonly #findings: Findings
  /** Also those that a late copy of a request has made anew. */
  readonly #done = new Set<string>()

  constructor(cells: CellStore, findings: Findings) {
    this.#cells = cells
    this.#findings = findings
  }

  async before(rows: readonly Uint8Array[]): Promise<Before> {
    const before = new Map<string, string>()
    for (const row of rows) {
      const name = keyString(row)
      if (name === MARK) before.set(name, await this.#textOf(row))
      if (name.startsWith(PREFIX)) before.set(name, await this.#textOf(row))
    }
    return before
  }

  async after(before: Before): Promise<void> {
    for (const [name, text] of before) {
      if (name === MARK) await this.#collected()
      else await this.#rangeChanged(name, text)
    }
  }

  async #rangeChanged(name: string, text: string): Promise<void> {
    const found = await Array.fromAsync(scanRangeRows(this.#cells))
    const range = found.find(({ key }) => keyString(key) === name)
    if (range === undefined) return
    const { counters } = this.#findings
    const { owner, state } = range
    if (state.isDone) this.#done.add(name)
    const worker = text === '' ? '' : String(JSON.parse(text).worker)
    if (state.isDone && state.worker !== owner)
      counters.count('range of a collection done by another')
    if (worker !== '' && worker !== state.worker) counters.count('range of a collection taken over')
    if (range.phase !== 'rows') return
    const open = found.find((one) => {
      const isOfSame = one.owner === owner && one.safePoint === range.safePoint
      return isOfSame && one.phase === 'locks' && !this.#done.has(keyString(one.key))
    })
    if (open !== undefined) {
      const what = `${keyString(open.key)} is not done, and its collection deletes already`
      this.#findings.violations.add('G2', what)
    }
    await this.#locksAreSettled(range.safePoint)
  }

  async #locksAreSettled(safePoint: number): Promise<void> {
    for await (const { key, cells } of this.#scan('lock')) {
      const left = cells.find(({ timestamp }) => timestamp < safePoint)
      if (left === undefined) continue
      const what = `a lock of ${left.timestamp} on ${keyString(key)} is left below ${safePoint}`
      this.#findings.violations.add('G2', what)
    }
  }

  async #collected(): Promise<void> {
    const mark = await readPlainRow(this.#cells, MARK_ROW)
    const safePoint = mark === undefined ? 0 : decodeStartTs(mark.subarray(0, 8))
    if (safePoint === 0) return
    this.#findings.counters.count('all was collected up to a safe point')
    for await (const { key, cells } of this.#scan('write')) {
      const below = cells.filter(({ timestamp }) => timestamp <= safePoint)
      const columns = new Set(below.map(({ qualifier }) => qualifier))
      if (below.length === columns.size) continue
      const what = `${below.length} versions of ${keyString(key)} are left below ${safePoint}`
      this.#findings.violations.add('G2', what)
    }
  }

  #scan(family: 'lock' | 'write') {
    return this.#cells.scanRows({ start: new Uint8Array(), filter: [{ family }] })
  }

  async #textOf(row: Uint8Array): Promise<string> {
    const value = await readPlainRow(this.#cells, row)
    return value === undefined ? '' : Buffer.from(value).toString('latin1')
  }
}
