// SPDX-License-Identifier: Apache-2.0

import { onStore, sharedStore } from '../embedded/embedded-store.ts'
import { OPERATIONS } from '../embedded/operations.ts'
import { scanning } from '../embedded/work.ts'
import type { Experiment } from '../harness/experiment.ts'

const RAW = 'raw scan'
const SHARED = 'in one transaction of 100 scans'
const OWN = 'each in its own transaction'

export function scan100(rows: number): Experiment {
  const store = sharedStore({ rows, commit: 'auto' })
  return {
    name: 'scan-100',
    title: 'Scans of 100 rows from a random row on, one reader',
    unit: 'scans',
    contenders: [
      onStore(RAW, store, scanning(OPERATIONS.scan.raw)),
      onStore(SHARED, store, scanning(OPERATIONS.scan.shared)),
      onStore(OWN, store, scanning(OPERATIONS.scan.own)),
    ],
    goals: [
      { what: '100-row scan in a transaction / raw scan', of: SHARED, to: RAW, ...GOAL },
      { what: 'BEGIN, 100-row scan, COMMIT / raw scan', of: OWN, to: RAW, ...GOAL },
    ],
  }
}

const GOAL = { must: 0.75, aim: 0.95 }
