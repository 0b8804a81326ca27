// SPDX-License-Identifier: Apache-2.0
import { Counter, Gauge, type Registry } from '@prometheus-io/client'
import type { Clock, Storage } from '../../../storage/storage.ts'
import {
  readScheduleStatus,
  type ScheduleStatus,
  scheduleLagMs,
} from '../../live/observers/schedule-status.ts'
import type { ScheduleTimer } from '../../live/observers/schedule-timer.ts'
import { LastAnswer } from './last-answer.ts'

type Label = 'schedule'

/** How far each schedule is, and the rows that this server has inserted for it. */
export class ScheduleMetrics {
  readonly #clock: Pick<Clock, 'wallMicros'>
  readonly #statuses: LastAnswer<ScheduleStatus[]>
  readonly #lag: Gauge<Label>
  readonly #paused: Gauge<Label>
  readonly #rows: Counter<Label>
  readonly #failures: Counter<Label>

  constructor(
    registry: Registry,
    deps: { readonly storage: Storage; readonly clock: Clock; readonly schedules: ScheduleTimer },
  ) {
    const { storage, clock, schedules } = deps
    this.#clock = clock
    this.#statuses = new LastAnswer(storage, () => readScheduleStatus(storage, schedules))
    const described = (name: string, help: string) => ({
      ...{ name: `percolite_schedule_${name}`, help },
      ...{ labelNames: ['schedule' as const], registers: [registry] },
    })
    this.#lag = new Gauge(
      described('lag_seconds', 'For how long the time has passed that it waits for.'),
    )
    this.#paused = new Gauge(described('paused', '1 while it is paused.'))
    this.#rows = new Counter(described('rows_total', 'Rows that this server inserted.'))
    this.#failures = new Counter(
      described('failures_total', 'Attempts of this server that failed with an error.'),
    )
  }

  async collect(): Promise<void> {
    const statuses = (await this.#statuses.get()) ?? []
    for (const figure of [this.#lag, this.#paused, this.#rows, this.#failures]) figure.reset()
    for (const status of statuses) {
      const labels = { schedule: status.schedule.name }
      this.#lag.set(labels, scheduleLagMs(status, this.#clock.wallMicros()) / 1_000)
      this.#paused.set(labels, status.schedule.state === 'paused' ? 1 : 0)
      this.#rows.inc(labels, status.figures.rows)
      this.#failures.inc(labels, status.figures.failures)
    }
  }
}
