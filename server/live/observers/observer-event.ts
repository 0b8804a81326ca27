// SPDX-License-Identifier: Apache-2.0
import type { IntegerForm } from '../../../planner/planner.ts'
import { type Notification, StorageError } from '../../../storage/storage.ts'
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

/**
 * Why a run that did nothing wrong is to be repeated: another came first, the store takes no writes now, or
 * the outcome of its commit is unknown. It may be wrapped in errors that say more; undefined where there is none.
 */
export function lostRaceOf(error: unknown): StorageError | undefined {
  let cause = error
  // What a function throws may be its own cause.
  for (let depth = 0; depth < CAUSES_MAX && cause instanceof Error; depth += 1) {
    if (cause instanceof StorageError) {
      return cause.isWorthWaiting ? cause : undefined
    }
    cause = cause.cause
  }
  return undefined
}

const CAUSES_MAX = 8
