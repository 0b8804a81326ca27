// SPDX-License-Identifier: Apache-2.0
import type { Storage } from '../../../storage/storage.ts'
import {
  readScheduleProgress,
  type ScheduleProgress,
  type TableSchedule,
} from '../../../storage/tables/tables.ts'
import { inSnapshot } from '../../snapshot.ts'
import type { ScheduleFigures, ScheduleTimer } from './schedule-timer.ts'

/** What is in the store of a schedule, and what this process has done for it. */
export type ScheduleStatus = TableSchedule & {
  readonly progress: ScheduleProgress | undefined
  readonly figures: Readonly<ScheduleFigures>
}

/** By table, and in the order of their creation. Rejects with CellStoreError. */
export async function readScheduleStatus(
  storage: Storage,
  timer: Pick<ScheduleTimer, 'figuresOf'>,
): Promise<ScheduleStatus[]> {
  return await inSnapshot(storage, undefined, async ({ transaction, catalog }) => {
    const statuses: ScheduleStatus[] = []
    for (const found of catalog.schedules()) {
      const progress = await readScheduleProgress(transaction, found.schedule)
      statuses.push({ ...found, progress, figures: timer.figuresOf(found.schedule.id) })
    }
    return statuses
  })
}

/** For how many milliseconds the time has passed that it waits for. */
export function scheduleLagMs({ schedule, progress }: ScheduleStatus, nowMicros: number): number {
  if (schedule.state === 'paused' || progress === undefined) return 0
  return Math.max(0, (nowMicros - progress.next) / 1_000)
}
