// SPDX-License-Identifier: Apache-2.0
import { systemRowKey } from '../../cells/row-key.ts'
import { invariant } from '../../invariant.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import { damaged, decodeJson, encodeJson } from '../bytes/catalog-json.ts'
import { ROW_COLUMN } from '../bytes/row-codec.ts'
import type { ScheduleDefinition } from '../table-definition.ts'

/**
 * The time that a schedule waits for, and the last one for which it has inserted a row, in microseconds since 1970.
 * Every transaction that inserts such a row writes this one, so of two processes that do it one fails (O5).
 */
export type ScheduleProgress = { readonly next: number; readonly last?: number }

/**
 *     schedule/10    {"format":1,"next":1767322800000000,"last":1767236400000000}
 */
export const SCHEDULE_PREFIX = systemRowKey('schedule/')
const FORMAT = 1

type Progressing = Pick<ScheduleDefinition, 'id'>

/** Undefined of a schedule that is not there. Throws on violations of T3. */
export async function readScheduleProgress(
  transaction: Pick<Transaction, 'getRow'>,
  schedule: Progressing,
): Promise<ScheduleProgress | undefined> {
  const row = await transaction.getRow(progressKey(schedule), [ROW_COLUMN])
  const cell = row?.columns.get(ROW_COLUMN)
  return cell === undefined ? undefined : decodeScheduleProgress(cell.value)
}

export function writeScheduleProgress(
  transaction: Pick<Transaction, 'put'>,
  schedule: Progressing,
  { next, last }: ScheduleProgress,
): void {
  // A time that comes again would have a second row.
  invariant(last === undefined || last < next, 'O5', { schedule: schedule.id, next, last })
  const members = { next, ...(last !== undefined && { last }) }
  transaction.put(progressKey(schedule), ROW_COLUMN, encodeJson(FORMAT, members))
}

export function forgetScheduleProgress(
  transaction: Pick<Transaction, 'delete'>,
  schedule: Progressing,
): void {
  transaction.delete(progressKey(schedule), ROW_COLUMN)
}

/** Throws on violations of T3. */
export function decodeScheduleProgress(value: Uint8Array): ScheduleProgress {
  const { next, last } = decodeJson(value, [FORMAT])
  return { next: timeOf(next), ...(last !== undefined && { last: timeOf(last) }) }
}

function timeOf(json: unknown): number {
  if (!Number.isSafeInteger(json)) throw damaged('a time is missing')
  return json as number
}

function progressKey({ id }: Progressing): Uint8Array {
  return systemRowKey(`schedule/${id}`)
}
