// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cell-store/cell.ts'
import { compareRowKeys, rowKeyText } from '../cell-store/row-key.ts'
import { StorageError } from '../errors.ts'
import type { Transaction } from '../transaction/transaction.ts'

/**
 * Snapshot-isolated transactions over a map, for the tests of this folder: what tables ask of a
 * transaction, without the protocol beneath it.
 */
export class FakeStore {
  /** By row key; the versions of column '0', oldest first, null where it was deleted. */
  readonly rows = new Map<string, Version[]>()
  #lastTs = 0

  begin(startTs = this.nextTs()): FakeTransaction {
    return new FakeTransaction(this, startTs)
  }

  nextTs(): Timestamp {
    this.#lastTs += 10
    return this.#lastTs
  }
}

type Version = { readonly commitTs: Timestamp; readonly value: Uint8Array | null }
type Write = { readonly kind: 'put' | 'delete' | 'guard'; readonly value: Uint8Array | null }
type Used =
  | 'getRow'
  | 'getRows'
  | 'scanRows'
  | 'put'
  | 'delete'
  | 'guard'
  | 'dependOnSchema'
  | 'changeSchema'

export class FakeTransaction implements Pick<Transaction, Used> {
  readonly startTs: Timestamp
  readonly writes = new Map<string, Write>()
  readonly schemasDependedOn = new Set<number>()
  readonly schemasChanged = new Set<number>()
  /** How often rows were asked for by key, and how often a range was. */
  readonly calls = { getRows: 0, scanRows: 0 }
  readonly #store: FakeStore

  constructor(store: FakeStore, startTs: Timestamp) {
    this.#store = store
    this.startTs = startTs
  }

  getRow: Transaction['getRow'] = async (key, columns) => {
    const [row] = await this.getRows([key], columns)
    return row ?? null
  }

  getRows: Transaction['getRows'] = async (keys, columns) => {
    this.calls.getRows += 1
    return keys.map((key) => this.#read(key, columns))
  }

  scanRows: Transaction['scanRows'] = async function* (this: FakeTransaction, range) {
    this.calls.scanRows += 1
    const texts = new Set([...this.#store.rows.keys(), ...this.writes.keys()])
    const keys = [...texts]
      .map((text) => Buffer.from(text, 'latin1'))
      .filter((key) => compareRowKeys(key, range.start) >= 0)
      .filter((key) => range.end === undefined || compareRowKeys(key, range.end) < 0)
      .sort(compareRowKeys)
    if (range.reverse === true) keys.reverse()
    let left = range.limit ?? Number.POSITIVE_INFINITY
    for (const key of keys) {
      range.signal?.throwIfAborted()
      const row = this.#read(key, range.columns)
      if (row === null) continue
      if (left-- <= 0) return
      yield row
    }
  }

  put(key: Uint8Array, column: string, value: Uint8Array): void {
    this.#write(key, column, { kind: 'put', value })
  }

  delete(key: Uint8Array, column: string): void {
    this.#write(key, column, { kind: 'delete', value: null })
  }

  guard(key: Uint8Array, column: string): void {
    this.#write(key, column, { kind: 'guard', value: null })
  }

  dependOnSchema(tableId: number): void {
    this.schemasDependedOn.add(tableId)
  }

  changeSchema(tableId: number): void {
    this.schemasChanged.add(tableId)
  }

  commit(): Timestamp {
    for (const text of this.writes.keys()) {
      const newest = this.#store.rows.get(text)?.at(-1)
      if (newest !== undefined && newest.commitTs > this.startTs) {
        throw new StorageError('write_conflict', `Row ${text} was written meanwhile.`)
      }
    }
    const commitTs = this.#store.nextTs()
    for (const [text, { kind, value }] of this.writes) {
      if (kind === 'guard') continue
      const versions = this.#store.rows.get(text) ?? []
      this.#store.rows.set(text, [...versions, { commitTs, value }])
    }
    return commitTs
  }

  #read(key: Uint8Array, columns: readonly string[]) {
    if (!columns.includes('0')) return null
    const own = this.writes.get(rowKeyText(key))
    const written: { value: Uint8Array | null; commitTs: Timestamp | null } | undefined =
      own !== undefined && own.kind !== 'guard'
        ? { value: own.value, commitTs: null }
        : this.#store.rows.get(rowKeyText(key))?.findLast((v) => v.commitTs <= this.startTs)
    if (written === undefined || written.value === null) return null
    const { value, commitTs } = written
    return { key, columns: new Map([['0', { value, commitTs }]]) }
  }

  #write(key: Uint8Array, column: string, write: Write): void {
    if (column !== '0') throw new RangeError(`Only column '0' is faked, not '${column}'.`)
    this.writes.set(rowKeyText(key), write)
  }
}
