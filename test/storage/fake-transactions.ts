// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../storage/cells/cell.ts'
import { compareRowKeys, keyString } from '../../storage/cells/row-key.ts'
import { StorageError } from '../../storage/errors.ts'
import { rowsOfBatches } from '../../storage/transactions/protocol/row-batches.ts'
import type { Transaction } from '../../storage/transactions/transaction.ts'

/**
 * Snapshot-isolated transactions over a map, for the tests of this folder: what tables ask of a
 * transaction, without the protocol beneath it.
 */
export class FakeStore {
  /** By row key and column; the versions, oldest first, null where it was deleted. */
  readonly rows = new Map<string, Version[]>()
  /** When each row and column was guarded last. */
  readonly guards = new Map<string, Timestamp>()
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
  | 'requireRoom'
  | 'locksRows'
  | 'getRow'
  | 'getRows'
  | 'scanRows'
  | 'scanBatches'
  | 'put'
  | 'delete'
  | 'guard'
  | 'notify'
  | 'startTs'
  | 'now'
  | 'statementWrite'
  | 'dependOnSchema'
  | 'changeSchema'
  | 'changeCatalog'

export class FakeTransaction implements Pick<Transaction, Used> {
  readonly locksRows = false
  readonly startTs: Timestamp
  readonly now: Timestamp
  readonly writes = new Map<string, Write>()
  /** Row key, observer and strength of each notification. */
  readonly notifications: Array<readonly [string, number, 'strong' | 'weak']> = []
  readonly schemasDependedOn = new Set<number>()
  readonly schemasChanged = new Set<number>()
  /** How often rows were asked for by key, and how often a range was. */
  readonly calls = { getRows: 0, scanRows: 0 }
  readonly #store: FakeStore

  constructor(store: FakeStore, startTs: Timestamp) {
    this.#store = store
    this.startTs = startTs
    this.now = startTs
  }

  requireRoom(): void {}

  getRow: Transaction['getRow'] = async (key, columns) => {
    const [row] = await this.getRows([key], columns)
    return row ?? null
  }

  getRows: Transaction['getRows'] = async (keys, columns) => {
    this.calls.getRows += 1
    return keys.map((key) => this.#read(key, columns))
  }

  scanRows: Transaction['scanRows'] = (range) => rowsOfBatches(this.scanBatches(range))

  scanBatches: Transaction['scanBatches'] = async function* (this: FakeTransaction, range) {
    this.calls.scanRows += 1
    const texts = [...this.#store.rows.keys(), ...this.writes.keys()].map(rowOfAddress)
    const keys = [...new Set(texts)]
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
      yield [row]
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

  notify(key: Uint8Array, observerId: number, strength: 'strong' | 'weak'): void {
    this.notifications.push([keyString(key), observerId, strength])
  }

  dependOnSchema(tableId: number): void {
    this.schemasDependedOn.add(tableId)
  }

  changeSchema(tableId: number): void {
    this.schemasChanged.add(tableId)
  }

  changeCatalog(): void {}

  commit(): Timestamp {
    for (const address of this.writes.keys()) {
      const newest = this.#store.rows.get(address)?.at(-1)?.commitTs ?? 0
      if (Math.max(newest, this.#store.guards.get(address) ?? 0) > this.startTs) {
        throw new StorageError('write_conflict', `Row ${address} was written meanwhile.`)
      }
    }
    const commitTs = this.#store.nextTs()
    for (const [address, { kind, value }] of this.writes) {
      if (kind === 'guard') {
        this.#store.guards.set(address, commitTs)
        continue
      }
      const versions = this.#store.rows.get(address) ?? []
      this.#store.rows.set(address, [...versions, { commitTs, value }])
    }
    return commitTs
  }

  /** A fake has no statements: its reads show all of its own writes. */
  statementWrite(): undefined {
    return undefined
  }

  #read(key: Uint8Array, columns: readonly string[]) {
    const found = new Map<string, { value: Uint8Array; commitTs: Timestamp | null }>()
    for (const column of columns) {
      const address = addressOf(key, column)
      const own = this.writes.get(address)
      const written: { value: Uint8Array | null; commitTs: Timestamp | null } | undefined =
        own !== undefined && own.kind !== 'guard'
          ? { value: own.value, commitTs: null }
          : this.#store.rows.get(address)?.findLast((v) => v.commitTs <= this.startTs)
      if (written == null || written.value === null) continue
      found.set(column, { value: written.value, commitTs: written.commitTs })
    }
    return found.size === 0 ? null : { key, columns: found }
  }

  #write(key: Uint8Array, column: string, write: Write): void {
    const address = addressOf(key, column)
    if (write.kind === 'guard' && this.writes.has(address)) return
    this.writes.set(address, write)
  }
}

/** A column's name has no colon, and the last one of the text ends the row key. */
function addressOf(key: Uint8Array, column: string): string {
  return `${keyString(key)}:${column}`
}

function rowOfAddress(address: string): string {
  return address.slice(0, address.lastIndexOf(':'))
}
