// SPDX-License-Identifier: Apache-2.0
import { requireFreeName } from '../definition-name.ts'
import { defineSchedule, type NewSchedule } from '../new-schedule.ts'
import type { ScheduleDefinition } from '../table-definition.ts'
import { type Catalog, requireObserver, requireSchedule, type TableSchedule } from './catalog.ts'
import { requireCatalogCounts } from './catalog-counts.ts'
import { type CatalogWrites, changeTable, takeId } from './catalog-writes.ts'
import {
  forgetScheduleProgress,
  readScheduleProgress,
  writeScheduleProgress,
} from './schedule-progress.ts'

/**
 * Creates a schedule that waits for the time `next`. Returns it, and whether it is new: with `ifNotExists` an existing
 * schedule of that name is returned as it is.
 *
 * Errors: those of `defineSchedule`; `unknown_observer`; `limit_exceeded`; `already_exists` with the field `existing`,
 * also for a name that differs from that of another schedule by case only.
 */
export async function createSchedule(
  transaction: CatalogWrites,
  catalog: Catalog,
  newSchedule: NewSchedule,
  options: { readonly ifNotExists: boolean; readonly next: number },
): Promise<TableSchedule & { readonly created: boolean }> {
  const { name, observer: observerName } = newSchedule
  const existing = catalog.schedule(name)
  if (existing !== undefined && options.ifNotExists) return { ...existing, created: false }
  const known = catalog.schedules().map(({ schedule }) => schedule)
  requireFreeName('a schedule', name, known, { observer: observerName, schedule: name })
  const observed = requireObserver(catalog, observerName)
  requireCatalogCounts(catalog, { schedules: 1, parts: 1 })
  const { table: before } = observed
  const schedule = await takeId(transaction, (id) => defineSchedule(observed, newSchedule, id))
  writeScheduleProgress(transaction, schedule, { next: options.next })
  const schedules = [...before.schedules, schedule]
  // The rows that others write stay as right as they were: nobody waits for the fence.
  const table = await changeTable(transaction, { ...before, schedules }, { isFenced: false })
  return { ...observed, table, schedule, created: true }
}

/**
 * Drops a schedule; rows that it has inserted stay. Returns its definition, or null when there was none and `ifExists`
 * allows that; otherwise that is `unknown_schedule`.
 */
export async function dropSchedule(
  transaction: CatalogWrites,
  catalog: Catalog,
  name: string,
  options: { readonly ifExists: boolean },
): Promise<ScheduleDefinition | null> {
  if (options.ifExists && catalog.schedule(name) === undefined) return null
  const { table, schedule } = requireSchedule(catalog, name)
  const schedules = table.schedules.filter(({ id }) => id !== schedule.id)
  await changeTable(transaction, { ...table, schedules }, { isFenced: false })
  // A process that is about to insert a row writes the progress as well, and fails.
  forgetScheduleProgress(transaction, schedule)
  return schedule
}

/** Its times pass, and are not made up for, until it is resumed. Errors: `unknown_schedule`. */
export async function pauseSchedule(
  transaction: CatalogWrites,
  catalog: Catalog,
  name: string,
): Promise<void> {
  const found = requireSchedule(catalog, name)
  const progress = await readScheduleProgress(transaction, found.schedule)
  await changeState(transaction, found, 'paused')
  // The same: nothing that began before the pause inserts a row after it.
  if (progress !== undefined) writeScheduleProgress(transaction, found.schedule, progress)
}

/** It waits for the first time after now, which is `next`. Errors: `unknown_schedule`. */
export async function resumeSchedule(
  transaction: CatalogWrites,
  catalog: Catalog,
  name: string,
  next: number,
): Promise<void> {
  const found = requireSchedule(catalog, name)
  const progress = await readScheduleProgress(transaction, found.schedule)
  await changeState(transaction, found, 'active')
  const last = progress?.last
  // After a clock that was ahead, times come again whose rows may be there.
  const kept = last !== undefined && last < next ? { last } : {}
  writeScheduleProgress(transaction, found.schedule, { next, ...kept })
}

async function changeState(
  transaction: CatalogWrites,
  { table, schedule }: TableSchedule,
  state: ScheduleDefinition['state'],
): Promise<void> {
  const changed = { ...schedule, state }
  const schedules = table.schedules.map((other) => (other.id === schedule.id ? changed : other))
  await changeTable(transaction, { ...table, schedules }, { isFenced: false })
}
