// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'

type Place = Pick<Schemas['Conflict'], 'table' | 'key' | 'index' | 'system' | 'rowKey'>

/** Where a row or an entry is, in words: `account ["bob"]`. */
export function placeText({ table, key, index, system, rowKey }: Place): string {
  const place = [table, index === undefined ? undefined : `index ${index}`, system, rowKey]
  const row = place.filter((part) => part !== undefined).join(' ')
  const shown = key === undefined ? '' : ` ${JSON.stringify(key)}`
  return `${row}${shown}` || 'a definition'
}

/** Where a cell is: `account ["bob"] balance`. */
export function cellText(cell: Schemas['CellAddress']): string {
  return `${placeText(cell)} ${cell.column}`
}
