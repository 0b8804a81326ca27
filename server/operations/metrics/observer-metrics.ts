// SPDX-License-Identifier: Apache-2.0
import { Counter, Gauge, type Registry } from '@prometheus-io/client'
import type { ObserverStatus, Storage } from '../../../storage/storage.ts'
import { LastAnswer } from './last-answer.ts'

/** What each observer has to do, has done, and has failed to do. */
export class ObserverMetrics {
  readonly #statuses: LastAnswer<ObserverStatus[]>
  readonly #gauges: ReadonlyArray<readonly [Gauge<'observer'>, FigureOf]>
  readonly #counters: ReadonlyArray<readonly [Counter<'observer'>, FigureOf]>

  constructor(registry: Registry, storage: Storage) {
    this.#statuses = new LastAnswer(storage, () => storage.observers.status())
    const described = { labelNames: ['observer' as const], registers: [registry] }
    this.#gauges = GAUGES.map(([name, help, figureOf]) => [
      new Gauge<'observer'>({ name: `percolite_observer_${name}`, help, ...described }),
      figureOf,
    ])
    this.#counters = COUNTERS.map(([name, help, figureOf]) => [
      new Counter<'observer'>({ name: `percolite_observer_${name}_total`, help, ...described }),
      figureOf,
    ])
  }

  async collect(): Promise<void> {
    const statuses = (await this.#statuses.get()) ?? []
    for (const [gauge, figureOf] of this.#gauges) {
      gauge.reset()
      for (const status of statuses) gauge.set(labelsOf(status), figureOf(status))
    }
    for (const [counter, figureOf] of this.#counters) {
      counter.reset()
      for (const status of statuses) counter.inc(labelsOf(status), figureOf(status))
    }
  }
}

type FigureOf = (status: ObserverStatus) => number
type Described = readonly [name: string, help: string, figureOf: FigureOf]

const GAUGES: readonly Described[] = [
  [
    'pending',
    'Rows with a notification, dead letters among them; counted to 1,000.',
    (of) => of.pending,
  ],
  ['lag_seconds', 'Age of the oldest notification.', (of) => of.lagMs / 1000],
  [
    'dead_letters',
    'Notifications that are tried no more; counted to 1,000.',
    (of) => of.deadLetters,
  ],
  ['paused', '1 while it is paused.', (of) => (of.state === 'paused' ? 1 : 0)],
  ['running', 'Notifications that workers of this server hold.', (of) => of.running],
  ['waiting', 'Workers of this server that wait for a notification.', (of) => of.waiting],
]

const COUNTERS: readonly Described[] = [
  ['runs', 'Runs that were committed.', (of) => of.runs],
  ['retries', 'Runs that were not the first for their notification.', (of) => of.retries],
  ['conflicts', 'Runs that failed because somebody else came first.', (of) => of.conflicts],
  ['failures', 'Runs that failed by themselves.', (of) => of.failures],
]

function labelsOf({ observer }: ObserverStatus) {
  return { observer }
}
