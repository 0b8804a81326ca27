// SPDX-License-Identifier: Apache-2.0
import { systemRowKey } from '../../cells/row-key.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import { damaged, decodeJson, encodeJson, requireId } from '../bytes/catalog-json.ts'
import { ROW_COLUMN } from '../bytes/row-codec.ts'
import type { TableDefinition } from '../table-definition.ts'

/**
 * The row `identity/<table id>`: from which number on none has been taken. Made with its table and dropped with it, so
 * that nobody takes numbers for a table that is gone.
 *
 *     {"format":1,"series":1,"next":"33"}     numbers up to 32 belong to some process
 *
 * A RESTART begins another series: whoever holds numbers of the one before has none any more.
 */
export type IdentityCounter = { readonly series: number; readonly next: bigint }

const FORMAT = 1
const SERIES_MAX = Number.MAX_SAFE_INTEGER
export const INTEGER_MIN = -(2n ** 63n)
export const INTEGER_MAX = 2n ** 63n - 1n

/** The row keys of all counters start with this. */
export const IDENTITY_PREFIX = systemRowKey('identity/')

export function encodeIdentity({ series, next }: IdentityCounter): Uint8Array {
  return encodeJson(FORMAT, { series, next: next.toString() })
}

/** Violations of T3. */
export function decodeIdentity(value: Uint8Array): IdentityCounter {
  const { series, next } = decodeJson(value, [FORMAT])
  if (typeof next !== 'string' || !/^-?\d{1,19}$/.test(next)) throw damaged('no number is next')
  const number = BigInt(next)
  // One above the largest: then all have been taken.
  if (number < INTEGER_MIN || number > INTEGER_MAX + 1n) throw damaged('the next is no INTEGER')
  return { series: requireId(series, SERIES_MAX), next: number }
}

/** At the transaction's snapshot; undefined for a table without one, or that is gone. */
export async function readIdentity(
  transaction: Pick<Transaction, 'getRow'>,
  { id }: Pick<TableDefinition, 'id'>,
): Promise<IdentityCounter | undefined> {
  const row = await transaction.getRow(identityKey(id), [ROW_COLUMN])
  const cell = row?.columns.get(ROW_COLUMN)
  return cell === undefined ? undefined : decodeIdentity(cell.value)
}

export function writeIdentity(
  transaction: Pick<Transaction, 'put'>,
  { id }: Pick<TableDefinition, 'id'>,
  counter: IdentityCounter,
): void {
  transaction.put(identityKey(id), ROW_COLUMN, encodeIdentity(counter))
}

export function forgetIdentity(
  transaction: Pick<Transaction, 'delete'>,
  { id }: Pick<TableDefinition, 'id'>,
): void {
  transaction.delete(identityKey(id), ROW_COLUMN)
}

function identityKey(tableId: number): Uint8Array {
  return systemRowKey(`identity/${tableId}`)
}
