// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto'
import type { Timestamp } from './cells/cell.ts'
import { hasPrefix, systemRowKey } from './cells/row-key.ts'
import { DamagedRecord } from './invariant.ts'
import { parsedJson } from './tables/bytes/catalog-json.ts'
import type { Transaction } from './transactions/transaction.ts'

/**
 * The answer to a request that carried an idempotency key, kept as a row that is written by the very
 * transaction whose answer it is: both are there, or neither. Of two requests with one key that run at
 * once, one conflicts on this row, and when it is run again it finds the answer of the other.
 */
export type IdempotencyRecord = {
  /** What tells a repetition from another request with the same key. */
  readonly fingerprint: string
  /** The answer without its timestamps, which a repetition takes from the record's own commit. */
  readonly body: string
}

export type StoredIdempotencyRecord = IdempotencyRecord & { readonly commitTs: Timestamp }

/** Records are kept for this long, and then go with the next garbage collection. */
export const IDEMPOTENCY_MS = 24 * 3600 * 1000

const COLUMN = '0'
const PREFIX = systemRowKey('idem/')

/** The record of this key in this scope (a client's name) at the transaction's snapshot. */
export async function readIdempotencyRecord(
  transaction: Pick<Transaction, 'getRow'>,
  address: { readonly scope: string; readonly key: string },
): Promise<StoredIdempotencyRecord | undefined> {
  const row = await transaction.getRow(rowOf(address), [COLUMN])
  const cell = row?.columns.get(COLUMN)
  if (cell === undefined || cell.commitTs === null) return undefined
  const record = parsedJson(cell.value)
  if (!isRecord(record)) throw new DamagedRecord('T3', { damaged: 'idempotency record' })
  return { ...record, commitTs: cell.commitTs }
}

export function writeIdempotencyRecord(
  transaction: Pick<Transaction, 'put'>,
  address: { readonly scope: string; readonly key: string },
  { fingerprint, body }: IdempotencyRecord,
): void {
  const value = Buffer.from(JSON.stringify({ fingerprint, body }), 'utf8')
  transaction.put(rowOf(address), COLUMN, value)
}

export function isIdempotencyRow(rowKey: Uint8Array): boolean {
  return hasPrefix(rowKey, PREFIX)
}

/** Hashed, so that any key makes a short row key and none can be read off the store. */
function rowOf({ scope, key }: { readonly scope: string; readonly key: string }): Uint8Array {
  const hash = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex')
  return systemRowKey(`idem/${hash(scope)}/${hash(key)}`)
}

function isRecord(record: unknown): record is IdempotencyRecord {
  if (typeof record !== 'object' || record === null) return false
  const { fingerprint, body } = record as Partial<Record<keyof IdempotencyRecord, unknown>>
  return typeof fingerprint === 'string' && typeof body === 'string'
}
