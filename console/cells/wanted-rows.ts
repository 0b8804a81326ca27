// SPDX-License-Identifier: Apache-2.0
import { type Address, hashOf } from '../page/address.ts'

/** Whose cells are looked at. */
export type WantedRows = {
  readonly table: string
  /** The index, where it is an entry. */
  readonly index: string | undefined
  /** As they stand in a path of the API, once decoded: `bob`, `AAPL,7`. */
  readonly keys: readonly string[]
}

/** At most so many rows of a table are looked at together, as the server allows. */
export const ROWS_MAX = 20

/** `#/cells/account/bob/joe`, or `#/cells/account/ann,bob?index=byOwner`; undefined where no row is named. */
export function wantedOf({ parts, query }: Address): WantedRows | undefined {
  const [table, ...keys] = parts
  if (table === undefined || table === '' || keys.length === 0) return undefined
  const { index } = query
  return { table, index, keys: keys.slice(0, index === undefined ? ROWS_MAX : 1) }
}

export function wantedHash({ table, index, keys }: WantedRows, at?: number): string {
  const query = {
    ...(index === undefined ? {} : { index }),
    ...(at === undefined ? {} : { at: String(at) }),
  }
  return hashOf({ view: 'cells', parts: [table, ...keys], query })
}

/** The operation that answers their cells. */
export function wantedPath({ table, index, keys }: WantedRows): string {
  const path = `/v1/tables/${encodeURIComponent(table)}`
  if (index !== undefined) {
    return `${path}/indexes/${encodeURIComponent(index)}/cells/${keyPart(keys[0] ?? '')}`
  }
  return `${path}/cells?${keys.map((key) => `key=${keyPart(key)}`).join('&')}`
}

/** The commas between the values of a key are not encoded, and those in a value are `~1`. */
function keyPart(key: string): string {
  return key.split(',').map(encodeURIComponent).join(',')
}
