// SPDX-License-Identifier: Apache-2.0
import type { Experiment } from '../harness/experiment.ts'
import { SharedBenchStore } from '../store/bench-store.ts'
import {
  scanInOwnTransaction,
  scanInSharedTransaction,
  scanRaw,
  scanTable,
  scanView,
} from '../store/scan-work.ts'
import { onSqliteTable, onStore } from '../store/store-contender.ts'

const RAW = 'raw scan'
const SHARED = 'in one transaction of 100 scans'
const OWN = 'each in its own transaction'

export function scan100(rows: number): Experiment {
  const store = new SharedBenchStore({ rows, commit: 'auto' })
  return {
    name: 'scan-100',
    title: 'Scans of 100 rows from a random row on, one reader',
    unit: 'scans',
    contenders: [
      onStore(RAW, store, scanRaw),
      onStore(SHARED, store, scanInSharedTransaction),
      onStore(OWN, store, scanInOwnTransaction),
      onStore('raw scan, without promises', store, scanView),
      onSqliteTable('better-sqlite3, bare table', rows, scanTable),
    ],
    goals: [
      { what: '100-row scan in a transaction / raw scan', of: SHARED, to: RAW, ...GOAL },
      { what: 'BEGIN, 100-row scan, COMMIT / raw scan', of: OWN, to: RAW, ...GOAL },
    ],
  }
}

const GOAL = { must: 0.75, aim: 0.95 }
