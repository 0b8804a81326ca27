// SPDX-License-Identifier: Apache-2.0
import { Gauge, type Registry } from '@prometheus-io/client'
import type { Primary } from '../../../storage/storage.ts'

type Figure = readonly [name: string, help: string, figureOf: (primary: Primary) => number]

const GAUGES: readonly Figure[] = [
  [
    'connected',
    '1 while a standby asks for what is written, or did so a moment ago.',
    ({ secondCopy }) => Number(secondCopy.isConnected),
  ],
  [
    'alone',
    '1 while writes are answered without a second copy although one is preferred.',
    ({ secondCopy }) => Number(secondCopy.isAlone),
  ],
  [
    'groups_behind',
    'Groups that are durable here and that no standby has said to have.',
    ({ groupsBehind }) => groupsBehind,
  ],
  ['kept_bytes', 'Bytes of the groups that are kept for standbys.', ({ kept }) => kept?.bytes ?? 0],
]

/** What a server knows of those who follow it. */
export function addPrimaryMetrics(registry: Registry, primary: Primary): void {
  for (const [name, help, figureOf] of GAUGES) {
    new Gauge({
      name: `percolite_second_copy_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(figureOf(primary))
      },
    })
  }
}
