// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { systemRowKey } from '../../cells/row-key.ts'
import { damaged, decodeJson, encodeJson, requireId } from './catalog-json.ts'

/**
 * The rows that describe the tables: ordinary transactional rows in the space of the system, each
 * one cell of column '0' with a JSON text. Bytes that are none of ours are a violation of T3.
 *
 *     catalog/table/7        see `table-codec.ts`         a table with all that is its own
 *     catalog/name/account   {"format":1,"table":7}       one table for one name
 *     catalog/version        {"format":1,"changed":7,"after":400}
 *                                                         written by every change of the catalog: the table
 *                                                         that it changed, and the version before; both are
 *                                                         absent where that cannot be said
 *     catalog/next-id        {"format":1,"next":8}        no id is given out twice
 */
const FORMAT = 1
export const TABLE_ID_MAX = 2 ** 32 - 1

export const CATALOG_VERSION_KEY = systemRowKey('catalog/version')
export const CATALOG_NEXT_ID_KEY = systemRowKey('catalog/next-id')
/** The row keys of all tables start with this. */
export const CATALOG_TABLE_PREFIX = systemRowKey('catalog/table/')

export function catalogTableKey(tableId: number): Uint8Array {
  return systemRowKey(`catalog/table/${tableId}`)
}

/** Names may hold any character and paths are ASCII, so the name is percent-encoded as UTF-8. */
export function catalogNameKey(name: string): Uint8Array {
  return systemRowKey(`catalog/name/${encodeURIComponent(name)}`)
}

/** A version differs from the one before it by one table, which was changed, made or dropped. */
export type CatalogStep = { readonly changed: number; readonly after: Timestamp }

export const encodeCatalogVersion = (step?: CatalogStep): Uint8Array =>
  encodeJson(FORMAT, { ...step })
export const encodeCatalogName = (table: number): Uint8Array => encodeJson(FORMAT, { table })
export const encodeNextId = (next: number): Uint8Array => encodeJson(FORMAT, { next })

/** The id of the table that has the name. */
export function decodeCatalogName(value: Uint8Array): number {
  return requireId(decodeJson(value, [FORMAT]).table, TABLE_ID_MAX)
}

/** Undefined where the version does not say how it differs from the one before. */
export function decodeCatalogVersion(value: Uint8Array): CatalogStep | undefined {
  const { changed, after } = decodeJson(value, [FORMAT])
  if (changed === undefined && after === undefined) return undefined
  if (!Number.isSafeInteger(after) || (after as number) < 0) throw damaged('a version is missing')
  return { changed: requireId(changed, TABLE_ID_MAX), after: after as Timestamp }
}

export function decodeNextId(value: Uint8Array): number {
  const { next } = decodeJson(value, [FORMAT])
  return requireId(next, TABLE_ID_MAX + 1)
}
