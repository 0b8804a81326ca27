// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../../client-sdk/client.ts'

type Table = Pick<Schemas['Table'], 'primaryKey' | 'indexes'>

/** As the address has it. */
export type WantedOrder = { readonly index: string; readonly order: string | undefined }

/** The key that gives the rows in the order of a column, by columns; others cannot be sorted by. */
export function sortKeys({ primaryKey, indexes }: Table): ReadonlyMap<string, string> {
  const keys = new Map<string, string>()
  const ready = indexes.filter(({ state }) => state === 'ready')
  const all = [{ name: 'primary', columns: primaryKey }, ...ready]
  for (const { name, columns } of all) {
    const [first] = columns
    if (first === undefined || first.path || first.each || first.words) continue
    if (!keys.has(first.column)) keys.set(first.column, name)
  }
  return keys
}

/** How the rows are sorted by a column; undefined where they are not. */
export function sortedBy(
  column: string,
  { order }: WantedOrder,
): 'ascending' | 'descending' | undefined {
  if (order === orderText(column, false)) return 'ascending'
  return order === orderText(column, true) ? 'descending' : undefined
}

/** What is wanted after a click on the head of a column: ascending, and descending where it is that already. */
export function nextOrder(column: string, key: string, now: WantedOrder): WantedOrder {
  return { index: key, order: orderText(column, sortedBy(column, now) === 'ascending') }
}

/** A name as the parameter `order` takes it, whatever is in it. */
function orderText(column: string, isDescending: boolean): string {
  const name = /^\w+$/.test(column) ? column : `"${column.replaceAll('"', '""')}"`
  return isDescending ? `${name} desc` : name
}
