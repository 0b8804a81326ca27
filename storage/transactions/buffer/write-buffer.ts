// SPDX-License-Identifier: Apache-2.0
import { compareRowKeys, keyString } from '../../cells/row-key.ts'
import { StorageError } from '../../errors.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import { RowsByText } from './rows-by-text.ts'
import { byKey, sortInTurns } from './sort-in-turns.ts'

/** A write that waits for the commit; a later one to the same column replaces it. */
export type BufferedWrite =
  | { readonly kind: 'put'; readonly value: Uint8Array }
  | { readonly kind: 'delete' }
  | { readonly kind: 'guard' }

/** A guard changes no value. */
export type ValueWrite = Exclude<BufferedWrite, { kind: 'guard' }>

export type BufferedRow = {
  readonly key: Uint8Array
  /** The key in the form of `keyString`. */
  readonly text: string
  readonly writes: ReadonlyMap<string, BufferedWrite>
  /** Ids of the observers that the write of this row notifies. */
  readonly notified?: readonly number[]
}

type MutableRow = BufferedRow & { readonly writes: Map<string, BufferedWrite> }

/**
 * A bound on the bytes that transactions buffer. Without one, idle transactions could exhaust the process' memory. Each
 * amount that was taken is given back.
 */
export interface ByteBudget {
  /** Throws when it is too much; then nothing is taken. */
  take(bytes: number): void
  giveBack(bytes: number): void
}

/** The bytes that all transactions buffer: bounded here, or only counted where another budget bounds them. */
export class BufferBudget {
  readonly #bytesMax: number
  #bytes = 0
  #countedBytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Buffered bytes of all transactions, whichever budget bounds them. */
  get bytes(): number {
    return this.#bytes + this.#countedBytes
  }

  /** Takes from `own` where there is one, and counts it here. Throws when it is too much; then nothing is taken. */
  take(bytes: number, own?: ByteBudget): void {
    if (own === undefined) {
      checkLimit('bufferedBytesMax', this.#bytes + bytes, this.#bytesMax)
      this.#bytes += bytes
    } else {
      own.take(bytes)
      this.#countedBytes += bytes
    }
  }

  giveBack(bytes: number, own?: ByteBudget): void {
    own?.giveBack(bytes)
    if (own === undefined) this.#bytes -= bytes
    else this.#countedBytes -= bytes
  }
}

/**
 * The writes of a transaction before its commit, one for each column (Percolator 2.2, Figure 6,
 * `writes_`). Several writes of one column become one, so the commit has one mutation for each row.
 */
export class WriteBuffer {
  readonly #budget: BufferBudget
  readonly #own: ByteBudget | undefined
  #rows = new RowsByText<MutableRow>()
  #bytes = 0
  #sorted: readonly BufferedRow[] | undefined

  /** `own` bounds its bytes where there is one, and `budget` otherwise. */
  constructor(budget: BufferBudget, own?: ByteBudget) {
    this.#budget = budget
    this.#own = own
  }

  /** How many rows there are. */
  get size(): number {
    return this.#rows.all.length
  }

  get isEmpty(): boolean {
    return this.size === 0
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The key of the row that was added after so many others; undefined where there are no more. */
  keyAt(index: number): Uint8Array | undefined {
    return this.#rows.all[index]?.key
  }

  write(key: Uint8Array, column: string, write: BufferedWrite): void {
    const text = keyString(key)
    const row = this.#rows.get(text)
    const before = row?.writes.get(column)
    // A put or delete locks and conflicts as a guard would, so a guard adds nothing to it.
    if (write.kind === 'guard' && before !== undefined) return
    const growth = sizeOf(key, write) - (before === undefined ? 0 : sizeOf(key, before))
    const { all } = this.#rows
    checkTransactionLimits(all.length + (row === undefined ? 1 : 0), this.#bytes + growth)
    if (growth > 0) this.#budget.take(growth, this.#own)
    else this.#budget.giveBack(-growth, this.#own)
    this.#bytes += growth
    if (row === undefined) this.#add({ key, text, writes: new Map([[column, write]]) })
    else row.writes.set(column, write)
  }

  /** The put or delete of this column, if there is one; a guard changes no value. */
  valueWrite(key: Uint8Array, column: string): ValueWrite | undefined {
    const write = this.writesOf(key)?.get(column)
    return write === undefined || write.kind === 'guard' ? undefined : write
  }

  /** The writes of a row by their columns, if it has any. */
  writesOf(key: Uint8Array): ReadonlyMap<string, BufferedWrite> | undefined {
    return this.isEmpty ? undefined : this.#rows.get(keyString(key))?.writes
  }

  /** All rows in key order. */
  rows(): readonly BufferedRow[] {
    const { all } = this.#rows
    this.#sorted ??= all.length < 2 ? all : all.toSorted(byKey)
    return this.#sorted
  }

  /** As `rows`, over several turns; nothing may be written meanwhile. */
  async rowsInTurns(): Promise<readonly BufferedRow[]> {
    const sorted = this.#sorted ?? (await sortInTurns([...this.#rows.all]))
    this.#sorted = sorted
    return sorted
  }

  /** The rows of [start, end) in key order. */
  rowsBetween(start: Uint8Array, end: Uint8Array | undefined): readonly BufferedRow[] {
    const rows = this.rows()
    const to = end === undefined ? rows.length : firstAtOrAfter(rows, end)
    return rows.slice(firstAtOrAfter(rows, start), to)
  }

  /**
   * Takes over all writes of `layer`, which has the same budget and is empty afterwards, or none when a
   * limit forbids it.
   */
  merge(layer: WriteBuffer): void {
    const rows = layer.#rows
    let newRows = 0
    let growth = 0
    for (const row of rows.all) {
      if (this.#rows.get(row.text) === undefined) newRows += 1
      growth += this.#growthBy(row)
    }
    checkTransactionLimits(this.size + newRows, this.#bytes + growth)
    // The bytes of the layer were taken already, and no more are needed here, so this cannot fail.
    this.#budget.giveBack(layer.#bytes - growth, this.#own)
    layer.#forget()
    this.#bytes += growth
    for (const row of rows.all) {
      const present = this.#rows.get(row.text)
      if (present === undefined) this.#add(row)
      else overwrite(present.writes, row.writes)
    }
  }

  #forget(): void {
    this.#rows = new RowsByText()
    this.#bytes = 0
    this.#sorted = undefined
  }

  #add(row: MutableRow): void {
    this.#rows.add(row)
    this.#sorted = undefined
  }

  /** The bytes by which these writes make the buffer grow; fewer than their own where they replace others. */
  #growthBy({ key, text, writes }: BufferedRow): number {
    const present = this.#rows.get(text)?.writes
    let growth = 0
    for (const [column, write] of writes) {
      const before = present?.get(column)
      if (before === undefined) growth += sizeOf(key, write)
      else if (write.kind !== 'guard') growth += sizeOf(key, write) - sizeOf(key, before)
    }
    return growth
  }

  /** Gives back what it holds: it is not used any more. */
  release(): void {
    if (this.#bytes > 0) this.#budget.giveBack(this.#bytes, this.#own)
    this.#bytes = 0
  }
}

/** A guard adds nothing to an existing write or guard. */
function overwrite(
  writes: Map<string, BufferedWrite>,
  later: ReadonlyMap<string, BufferedWrite>,
): void {
  for (const [column, write] of later) {
    if (write.kind !== 'guard' || !writes.has(column)) writes.set(column, write)
  }
}

function sizeOf(key: Uint8Array, write: BufferedWrite): number {
  return key.length + (write.kind === 'put' ? write.value.length : 0)
}

/** Whether a column of the row is put or deleted: a guard changes none. */
export function changesValue({ writes }: BufferedRow): boolean {
  for (const { kind } of writes.values()) if (kind !== 'guard') return true
  return false
}

function checkTransactionLimits(rows: number, bytes: number): void {
  const { transactionRowsMax, transactionBytesMax } = STORAGE_LIMITS
  if (rows > transactionRowsMax) throw beyond('transactionRowsMax', rows, transactionRowsMax)
  if (bytes > transactionBytesMax) throw beyond('transactionBytesMax', bytes, transactionBytesMax)
}

/** Throws StorageError `limit_exceeded`. */
export function checkLimit(limit: string, actual: number, max: number): void {
  if (actual > max) throw beyond(limit, actual, max)
}

function beyond(limit: string, actual: number, max: number): StorageError {
  const message = `The transaction would take ${limit} to ${actual}; the limit is ${max}.`
  return new StorageError('limit_exceeded', message, { limit, limitValue: max, actual })
}

function firstAtOrAfter(rows: readonly BufferedRow[], key: Uint8Array): number {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareRowKeys((rows[middle] as BufferedRow).key, key) < 0) low = middle + 1
    else high = middle
  }
  return low
}
