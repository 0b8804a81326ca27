// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cells/cell.ts'
import { hasPrefix, keyString, systemRowKey } from '../cells/row-key.ts'
import { damaged, decodeJson, encodeJson } from '../tables/bytes/catalog-json.ts'
import { ROW_COLUMN } from '../tables/bytes/row-codec.ts'
import type { ObserverDefinition } from '../tables/table-definition.ts'
import type { Transaction } from '../transactions/transaction.ts'

/**
 * How far the notifying of the rows of before has come: a system row that each of its transactions
 * writes, so that a crash loses at most one of them, and two processes that do it conflict.
 *
 *     observer-backfill/7    {"format":1,"epoch":0,"last":"AQAAAAcQ…"}     the last row key, in base64
 *
 * `epoch` is that of the observer's definition. A REPLAY in between begins from the start, so a position of
 * an earlier one is none.
 */
const FORMAT = 1
const PREFIX = systemRowKey('observer-backfill/')

/** The row key after which to continue; undefined at the beginning. */
export async function readBackfillPosition(
  transaction: Pick<Transaction, 'getRow'>,
  observer: ObserverDefinition,
): Promise<Uint8Array | undefined> {
  const row = await transaction.getRow(positionKey(observer.id), [ROW_COLUMN])
  const cell = row?.columns.get(ROW_COLUMN)
  if (cell === undefined) return undefined
  const { epoch, last } = decodeBackfillPosition(cell.value)
  return epoch === (observer.epoch ?? 0) ? last : undefined
}

export function writeBackfillPosition(
  transaction: Pick<Transaction, 'put'>,
  observer: ObserverDefinition,
  last: Uint8Array,
): void {
  const members = { epoch: observer.epoch ?? 0, last: Buffer.from(last).toString('base64') }
  transaction.put(positionKey(observer.id), ROW_COLUMN, encodeJson(FORMAT, members))
}

export function forgetBackfillPosition(
  transaction: Pick<Transaction, 'delete'>,
  observer: ObserverDefinition,
): void {
  transaction.delete(positionKey(observer.id), ROW_COLUMN)
}

/** Throws on violations of T3. */
export function decodeBackfillPosition(value: Uint8Array): {
  readonly epoch: Timestamp
  readonly last: Uint8Array
} {
  const { epoch, last } = decodeJson(value, [FORMAT])
  if (!Number.isSafeInteger(epoch)) throw damaged('a timestamp is missing')
  if (typeof last !== 'string') throw damaged('a row key is missing')
  return { epoch: epoch as number, last: Uint8Array.from(Buffer.from(last, 'base64')) }
}

/** Of whose backfill a system row tells; undefined for other rows. */
export function observerOfBackfill(rowKey: Uint8Array): number | undefined {
  if (!hasPrefix(rowKey, PREFIX)) return undefined
  return Number.parseInt(keyString(rowKey.subarray(PREFIX.length)), 10)
}

function positionKey(observerId: number): Uint8Array {
  return systemRowKey(`observer-backfill/${observerId}`)
}
