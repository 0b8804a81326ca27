// SPDX-License-Identifier: Apache-2.0
import type { FieldChange, Fields, YcsbRecord } from './record.ts'

/**
 * What YCSB asks of a store. Every write is on disk when its promise is fulfilled. `client` says whose
 * connection is used where each client has its own.
 */
export type YcsbStore = {
  /** All ten fields. Throws when there is no such record. */
  read(client: number, key: string): Promise<Fields>
  /** Writes the named fields of a record that is there; all ten when there are ten. */
  update(client: number, key: string, changes: readonly FieldChange[]): Promise<void>
  insert(client: number, record: YcsbRecord): Promise<void>
  /** How many records were read: up to `count`, from `key` on in the order of the keys. */
  scan(client: number, key: string, count: number): Promise<number>
  /** Reads a record and writes the fields so that nobody else's write comes in between. */
  modify(client: number, key: string, changes: readonly FieldChange[]): Promise<void>
  /** How often anything had to begin again because of another write, since the last call. */
  takeRetries(): number
  /** Makes the table, where there is such a thing. */
  create(): Promise<void>
  /** For loading. */
  insertMany(records: readonly YcsbRecord[]): Promise<void>
  close(): Promise<void>
}

/** A read found nothing where there must be a record. */
export function missingRecord(key: string): Error {
  return new Error(`there is no record ${key}`)
}
