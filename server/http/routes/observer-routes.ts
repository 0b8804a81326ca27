// SPDX-License-Identifier: Apache-2.0
import type { Catalog, ObserverStatus, Storage } from '../../../storage/storage.ts'
import { addressOfRow } from '../../answers/row-address.ts'
import { catalogAt } from '../../statements/snapshot.ts'
import type { Handlers } from '../openapi/binding.ts'

export function observerRoutes({ storage }: { readonly storage: Storage }): Handlers {
  return {
    async listObservers() {
      const statuses = await storage.observers.status()
      const catalog = await catalogAt(storage)
      return { observers: statuses.map((status) => answerOf(catalog, status)) }
    },
  }
}

function answerOf(catalog: Catalog, status: ObserverStatus) {
  const { isWeak, isBackfilling, oldestPending, lastError } = status
  const { observer, table, state, pending, lagMs, running, waiting } = status
  const { runs, retries, conflicts, failures, cyclesWith } = status
  const rows = status.deadLettersShown.map(({ key, ...letter }) => ({
    key: keyOf(catalog, key),
    ...letter,
  }))
  return {
    observer,
    table,
    weak: isWeak,
    state,
    backfilling: isBackfilling,
    pending,
    ...(oldestPending === null ? {} : { oldestPending }),
    lagMs,
    running,
    waiting,
    runs,
    retries,
    conflicts,
    failures,
    deadLetters: { count: status.deadLetters, rows },
    ...(lastError === null ? {} : { lastError: failureOf(catalog, lastError) }),
    cyclesWith,
  }
}

function failureOf(
  catalog: Catalog,
  { message, timestamp, key }: NonNullable<ObserverStatus['lastError']>,
) {
  return { key: keyOf(catalog, key), error: message, timestamp }
}

/** The primary key of a row; empty when its table has been dropped meanwhile. */
function keyOf(catalog: Catalog, rowKey: Uint8Array): readonly unknown[] {
  const address = addressOfRow(catalog, rowKey)
  return 'key' in address ? address.key : []
}
