// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'

/** Where a cell is, in words: `account ["bob"] balance`. */
export function cellText({
  table,
  key,
  index,
  system,
  rowKey,
  column,
}: Schemas['CellAddress']): string {
  const place = [table, index === undefined ? undefined : `index ${index}`, system, rowKey]
  const row = place.filter((part) => part !== undefined).join(' ')
  const shown = key === undefined ? '' : ` ${JSON.stringify(key)}`
  return `${row}${shown} ${column}`
}
