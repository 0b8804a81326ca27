// SPDX-License-Identifier: Apache-2.0
import type {
  AlterScheduleStatement,
  CreateScheduleStatement,
  DropScheduleStatement,
} from '../../parser/ast.ts'
import type { Transaction } from '../../storage/storage.ts'
import {
  type Catalog,
  createSchedule,
  dropSchedule,
  type NewSchedule,
  pauseSchedule,
  resumeSchedule,
  type ScheduleDefinition,
} from '../../storage/tables/tables.ts'
import { PlanError } from '../plan-error.ts'
import { requireObserver, requireSchedule } from '../unknown-name.ts'
import { type Times, TimesError, timesOf } from './schedule-times.ts'

type ScheduleStatement = CreateScheduleStatement | AlterScheduleStatement | DropScheduleStatement

/** Whether the catalog changed. Throws PlanError and StorageError. */
export async function defineSchedule(
  statement: ScheduleStatement,
  { catalog, transaction }: { readonly catalog: Catalog; readonly transaction: Transaction },
): Promise<boolean> {
  const { text } = statement.schedule
  if (statement.kind === 'createSchedule') {
    requireObserver(catalog, statement.observer)
    const { schedule, next } = newScheduleOf(statement, transaction.now)
    const options = { ifNotExists: statement.ifNotExists, next }
    return (await createSchedule(transaction, catalog, schedule, options)).created
  }
  if (statement.kind === 'dropSchedule') {
    const { ifExists } = statement
    if (!ifExists) requireSchedule(catalog, statement.schedule)
    return (await dropSchedule(transaction, catalog, text, { ifExists })) !== null
  }
  requireSchedule(catalog, statement.schedule)
  if (statement.kind === 'pauseSchedule') await pauseSchedule(transaction, catalog, text)
  else {
    const { schedule } = catalog.schedule(text) as { readonly schedule: ScheduleDefinition }
    const next = scheduleTimesOf(schedule).after(transaction.now)
    await resumeSchedule(transaction, catalog, text, next)
  }
  return true
}

/** What the statement describes, and its first time. Throws PlanError at the text that is wrong. */
function newScheduleOf(
  { schedule, times: clause, zone, observer, missed }: CreateScheduleStatement,
  now: number,
): { readonly schedule: NewSchedule; readonly next: number } {
  const times =
    'cron' in clause
      ? { cron: clause.cron.text }
      : { every: clause.every.text, ...(clause.at && { at: clause.at.text }) }
  const described = {
    ...{ name: schedule.text, observer: observer.text, times },
    ...{ zone: zone?.text ?? 'UTC', missed },
  }
  try {
    return { schedule: described, next: timesOf(times, described.zone).after(now) }
  } catch (error) {
    if (!(error instanceof TimesError)) throw error
    const wrong = { ...clause, ...(zone && { zone }) }[error.clause as 'zone']
    const { position } = wrong ?? schedule
    throw new PlanError('invalid_request', error.message, { position })
  }
}

/** Definitions are kept with the catalog and do not change, so each is read once. */
const TIMES = new WeakMap<ScheduleDefinition, Times>()

/** The times of a schedule that is there. Throws where this process does not know its zone. */
export function scheduleTimesOf(schedule: ScheduleDefinition): Times {
  let times = TIMES.get(schedule)
  if (times === undefined) {
    times = timesOf(schedule.times, schedule.zone)
    TIMES.set(schedule, times)
  }
  return times
}
