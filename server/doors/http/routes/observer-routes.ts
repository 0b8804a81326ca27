// SPDX-License-Identifier: Apache-2.0

import { scheduleText, valueToJson } from '../../../../planner/planner.ts'
import type { ObserverStatus } from '../../../../storage/storage.ts'
import {
  type Catalog,
  encodePrimaryKey,
  nameOfRow,
  requireObserver,
} from '../../../../storage/tables/tables.ts'
import { readScheduleStatus, type ScheduleStatus } from '../../../live/observers/schedule-status.ts'
import { readRelayStatus } from '../../../live/relays/relay-status.ts'
import { addressOfRow } from '../../../requests/answers/row-address.ts'
import { readKeyPath, writeKeyText } from '../../../requests/rows/key-path.ts'
import { catalogAt } from '../../../snapshot.ts'
import type { RouteDependencies } from '../dependencies.ts'
import type { Handlers } from '../openapi/binding.ts'

export function observerRoutes({ storage, schedules }: RouteDependencies): Handlers {
  return {
    async listRelays() {
      const { retentionMs } = await storage.retention.read()
      return { relays: await readRelayStatus(storage), retentionMs }
    },

    async listObservers() {
      const statuses = await storage.observers.status()
      const catalog = await catalogAt(storage)
      const scheduled = await readScheduleStatus(storage, schedules)
      return { observers: statuses.map((status) => answerOf(catalog, status, scheduled)) }
    },

    async listDeadLetters({ parameters }) {
      const { observer, after, limit = 100 } = parameters
      const catalog = await catalogAt(storage)
      const { table } = requireObserver(catalog, String(observer))
      const { letters, next } = await storage.observers.deadLetters(String(observer), {
        limit: Number(limit),
        ...(after === undefined
          ? {}
          : { after: encodePrimaryKey(table, readKeyPath(table, String(after))) }),
      })
      return {
        deadLetters: letters.map((letter) => letterOf(catalog, letter)),
        ...(next === undefined ? {} : { next: keyTextOf(catalog, next) }),
      }
    },
  }
}

function answerOf(catalog: Catalog, status: ObserverStatus, scheduled: readonly ScheduleStatus[]) {
  const { isWeak, isBackfilling, oldestPending, due, lastError } = status
  const { observer, table, state, pending, lagMs, running, waiting } = status
  const { runs, retries, conflicts, failures, cyclesWith } = status
  const work = { lagMs, running, waiting, runs, retries, conflicts, failures }
  const rows = status.deadLettersShown.map((letter) => letterOf(catalog, letter))
  return {
    observer,
    table,
    weak: isWeak,
    state,
    backfilling: isBackfilling,
    pending,
    ...(oldestPending === null ? {} : { oldestPending }),
    ...(due && { due: dueOf(due) }),
    ...work,
    deadLetters: { count: status.deadLetters, rows },
    ...(lastError === null ? {} : { lastError: failureOf(catalog, lastError) }),
    cyclesWith,
    schedules: scheduled
      .filter((one) => one.observer.name === observer)
      .map((one) => scheduleOf(one)),
  }
}

/** `ObserverSchedule` of `openapi.yaml`. */
function scheduleOf({ schedule, progress, figures }: ScheduleStatus) {
  const { name, zone, missed, state } = schedule
  const { rows, failures, lastError } = figures
  const isWaiting = state === 'active' && progress !== undefined
  return {
    schedule: name,
    times: scheduleText(schedule),
    ...{ zone, missed, state },
    ...(isWaiting && { next: timeOf(progress.next) }),
    ...(progress?.last !== undefined && { last: timeOf(progress.last) }),
    ...{ rows, failures },
    ...(lastError !== undefined && { lastError }),
  }
}

function timeOf(micros: number) {
  return valueToJson('TIMESTAMP', BigInt(micros))
}

/** `DueRows` of `openapi.yaml`. */
function dueOf({ rows, next }: NonNullable<ObserverStatus['due']>) {
  return { rows, ...(next !== null && { next: timeOf(next) }) }
}

/** `DeadLetter` of `openapi.yaml`. */
function letterOf(
  catalog: Catalog,
  { key, ...letter }: ObserverStatus['deadLettersShown'][number],
) {
  return { key: keyOf(catalog, key), ...letter }
}

/** What `after` takes. */
function keyTextOf(catalog: Catalog, rowKey: Uint8Array): string {
  const name = nameOfRow(catalog, rowKey)
  return name.kind === 'row' ? writeKeyText(name.table, name.key) : ''
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
