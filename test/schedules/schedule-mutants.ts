// SPDX-License-Identifier: Apache-2.0
import { type Mutant, mutant } from '../simulation/mutants/mutant.ts'

const RUN = 'server/live/observers/schedule-run.ts'
const CHANGES = 'storage/tables/catalog/schedule-changes.ts'

/** How a schedule is moved on. */
export const SCHEDULE_MUTANTS: readonly Mutant[] = [
  mutant({
    name: 'scheduleNotMovedOn',
    what: 'the row of a time is inserted, and the schedule waits for that time still',
    file: RUN,
    find: 'const next = scheduleTimesOf(schedule).after(now)',
    replace: 'const next = (times.at(-1) as number) + 1',
    caughtBy: { script: 'schedulesInsertEachTimeOnce' },
  }),
  mutant({
    name: 'missedTimesForgotten',
    what: 'after a while without a gateway there is a row for the first time alone',
    file: RUN,
    find: 'if (known.after(from) > now) return',
    replace: 'if (known.after(from) > from) return',
    caughtBy: { script: 'schedulesInsertEachTimeOnce' },
  }),
  mutant({
    name: 'pauseMeetsNoRun',
    what: 'PAUSE lets those insert their row that began before it',
    file: CHANGES,
    find: 'if (progress !== undefined) writeScheduleProgress(transaction, found.schedule, progress)',
    replace: '',
    caughtBy: { script: 'scheduleIsPausedBesideARun' },
  }),
  mutant({
    name: 'dropMeetsNoRun',
    what: 'DROP SCHEDULE lets those insert their row that began before it',
    file: CHANGES,
    find: '  forgetScheduleProgress(transaction, schedule)\n  return schedule\n',
    replace: '  return schedule\n',
    caughtBy: { script: 'scheduleIsPausedBesideARun' },
  }),
]
