// SPDX-License-Identifier: Apache-2.0
import { Counter, Gauge, type Registry } from '@prometheus-io/client'
import type { StandbyState } from '../replication/standby-state.ts'

type Figure = readonly [name: string, help: string, figureOf: (state: StandbyState) => number]

const GAUGES: readonly Figure[] = [
  ['connected', '1 while the primary answers.', (state) => Number(state.connected)],
  [
    'groups_behind',
    'Groups that the primary had more when it last answered.',
    (s) => s.groupsBehind,
  ],
  [
    'behind_seconds',
    'For how long it has not had all that its primary had; 0 while it has.',
    (state) => state.behindMs / 1_000,
  ],
]

const COUNTERS: readonly Figure[] = [
  ['copies', 'Copies of the whole store that were received.', (state) => state.copies],
  ['applied_bytes', 'Bytes of the groups that were applied.', (state) => state.appliedBytes],
]

/** What a server that follows another knows of itself. */
export function addStandbyMetrics(registry: Registry, state: StandbyState): void {
  for (const [name, help, figureOf] of GAUGES) {
    new Gauge({
      name: `percolite_standby_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(figureOf(state))
      },
    })
  }
  for (const [name, help, figureOf] of COUNTERS) {
    new Counter({
      name: `percolite_standby_${name}_total`,
      help,
      registers: [registry],
      collect() {
        this.reset()
        this.inc(figureOf(state))
      },
    })
  }
}
