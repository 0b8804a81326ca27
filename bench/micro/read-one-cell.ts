// SPDX-License-Identifier: Apache-2.0

import { onStore, sharedStore } from '../embedded/embedded-store.ts'
import { OPERATIONS } from '../embedded/operations.ts'
import { reading } from '../embedded/work.ts'
import type { Experiment } from '../harness/experiment.ts'

const RAW = 'raw read'
const SHARED = 'in one transaction of 1,000 reads'
const OWN = 'each in its own transaction'

export function readOneCell(rows: number): Experiment {
  const store = sharedStore({ rows, commit: 'auto' })
  return {
    name: 'read-one-cell',
    title: 'Random reads of one cell, one reader',
    unit: 'reads',
    contenders: [
      onStore(RAW, store, reading(OPERATIONS.read.raw)),
      onStore(SHARED, store, reading(OPERATIONS.read.shared)),
      onStore(OWN, store, reading(OPERATIONS.read.own)),
    ],
    goals: [
      { what: 'read in a transaction / raw read', of: SHARED, to: RAW, ...GOAL },
      { what: 'BEGIN, read, COMMIT / raw read', of: OWN, to: RAW, ...GOAL },
    ],
    notes: [
      'A raw read is `readRows` of the cell store; an own transaction takes a timestamp too.',
    ],
  }
}

/** The paper does not count the timestamp of a read. */
const GOAL = { must: 0.85, aim: 0.97, paper: 0.94 }
