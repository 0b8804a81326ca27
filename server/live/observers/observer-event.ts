// SPDX-License-Identifier: Apache-2.0
import type { IntegerForm } from '../../../planner/planner.ts'
import type { Notification } from '../../../storage/storage.ts'
import { decodePrimaryKey } from '../../../storage/tables/tables.ts'
import { keyToJson } from '../../requests/answers/row-address.ts'

/** What a worker is told of a notification, wherever it runs. */
export type NotificationFacts = {
  readonly table: string
  readonly key: readonly unknown[]
  readonly timestamp: number
}

export function factsOf(
  { table, key, timestamp }: Notification,
  integers: IntegerForm = 'number',
): NotificationFacts {
  const values = decodePrimaryKey(table, key)
  return { table: table.name, key: keyToJson(table, values, integers), timestamp }
}
