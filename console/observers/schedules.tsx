// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import { useRight } from '../page/console-context.ts'
import { type Head, ListTable } from '../page/lists/list-table.tsx'
import { countText } from '../page/stamp-text.ts'
import { type StatementRequest, scheduleStateOf } from './observer-statements.ts'

type Schedule = Schemas['ObserverSchedule']

const HEADS: readonly Head[] = [
  'schedule',
  'times',
  'zone',
  'missed',
  'next',
  'last',
  { number: 'rows' },
  { number: 'failures' },
  { unseen: 'change' },
]

/** What inserts rows for an observer. */
export function Schedules({
  schedules,
  onAsk,
}: {
  readonly schedules: readonly Schedule[]
  readonly onAsk: (statement: StatementRequest) => void
}) {
  const mayDefine = useRight('define')
  if (schedules.length === 0) return null
  const errors = schedules.flatMap(({ schedule, lastError }) =>
    lastError === undefined ? [] : [{ schedule, lastError }],
  )
  return (
    <>
      <h3>Schedules</h3>
      <ListTable label="Schedules" heads={HEADS}>
        {schedules.map((schedule) => (
          <ScheduleRow
            key={schedule.schedule}
            schedule={schedule}
            onAsk={mayDefine ? onAsk : undefined}
          />
        ))}
      </ListTable>
      {errors.map(({ schedule, lastError }) => (
        <p key={schedule} class="bad">
          {schedule}: {lastError}
        </p>
      ))}
    </>
  )
}

function ScheduleRow({
  schedule: status,
  onAsk,
}: {
  readonly schedule: Schedule
  readonly onAsk: ((statement: StatementRequest) => void) | undefined
}) {
  const { schedule, times, zone, missed, state, next, last, rows, failures } = status
  const none = <span class="muted">none</span>
  return (
    <tr>
      <td>{schedule}</td>
      <td>{times}</td>
      <td>{zone}</td>
      <td>{missed}</td>
      <td>{state === 'active' ? timeText(next) : state}</td>
      <td>{last === undefined ? none : timeText(last)}</td>
      <td class="number">{countText(rows)}</td>
      <td class={failures > 0 ? 'number bad' : 'number'}>{countText(failures)}</td>
      <td>
        {onAsk !== undefined && (
          <button type="button" onClick={() => onAsk(scheduleStateOf(status))}>
            {state === 'active' ? 'Pause' : 'Resume'} {schedule} …
          </button>
        )}
      </td>
    </tr>
  )
}

/** Whole seconds, as all of these are. */
function timeText(time: string | undefined): string {
  return (time ?? '').replace('.000000', '')
}
