// SPDX-License-Identifier: Apache-2.0
import { Retries } from '../load/http-client.ts'

/** Records by key: what is asked of every store, and made in it where it has such things as tables. */
export type Table = {
  readonly name: string
  readonly key: string
  readonly fields: readonly string[]
  /** Of all fields. */
  readonly type: 'TEXT' | 'INTEGER'
}

export type Value = string | number

/** The values of all fields, in the order of the table. */
export type Fields = readonly Value[]

export type StoreRecord = { readonly key: string; readonly fields: Fields }

/** A field, by its index, and its new value. */
export type FieldChange = readonly [index: number, value: Value]

/**
 * What the benchmarks ask of a store, of one table. Every write is on disk when its promise is fulfilled.
 * `client` says whose connection is used where each client has its own.
 */
export type Store = {
  /** Throws when there is no such record. */
  get(client: number, key: string): Promise<Fields>
  /** Writes a whole record, whether or not there is one. */
  put(client: number, record: StoreRecord): Promise<void>
  /** Writes a record that is not there. */
  insert(client: number, record: StoreRecord): Promise<void>
  /** Writes the named fields of a record that is there. */
  update(client: number, key: string, changes: readonly FieldChange[]): Promise<void>
  /** The records that were read, up to `count`, from `key` on in the order of the keys. */
  scan(client: number, key: string, count: number): Promise<readonly unknown[]>
  /** Reads a record and writes the fields so that nobody else's write comes in between. */
  modify(client: number, key: string, changes: readonly FieldChange[]): Promise<void>
  /** Takes one from the only field of one record and adds it to that of another, both or neither. */
  transfer(client: number, from: string, to: string): Promise<void>
  /** How often anything had to begin again because of another write, since the last call. */
  takeRetries(): number
  /** Makes the table, where there is such a thing. */
  create(): Promise<void>
  /** For loading; at most 100 at once. */
  insertMany(records: readonly StoreRecord[]): Promise<void>
  /** What the store's manual advises after loading. */
  afterLoading?(): Promise<void>
  close(): Promise<void>
}

/** From what was read of the keys to what is written to them, in the same order. */
export type Change = (read: readonly Fields[]) => ReadonlyArray<readonly FieldChange[]>

/** Reads the records and writes what `change` says; false when another transaction was in the way. */
type Attempt = (client: number, keys: readonly string[], change: Change) => Promise<boolean>

/** The transactions of a store whose client itself reads, then writes, and begins again after a conflict. */
export function transactionsBy(
  attempt: Attempt,
): Pick<Store, 'modify' | 'transfer' | 'takeRetries'> {
  const retries = new Retries()
  const run: (...work: Parameters<Attempt>) => Promise<void> = async (...work) => {
    while (!(await attempt(...work))) retries.add(1)
  }
  return {
    modify: (client, key, changes) => run(client, [key], () => [changes]),
    transfer: (client, from, to) =>
      run(client, [from, to], ([left, right]) => [
        [[0, Number(left?.[0]) - 1]],
        [[0, Number(right?.[0]) + 1]],
      ]),
    takeRetries: () => retries.take(),
  }
}

/** A read found nothing where there must be a record. */
export function missingRecord(key: string): Error {
  return new Error(`there is no record ${key}`)
}
