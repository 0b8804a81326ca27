// SPDX-License-Identifier: Apache-2.0
import { sharedStore } from '../embedded/embedded-store.ts'
import type { FilledStore } from '../embedded/filled-store.ts'
import { OPERATIONS } from '../embedded/operations.ts'
import { reading, scanning, type Work } from '../embedded/work.ts'
import type { Experiment, Goal } from '../harness/experiment.ts'
import { onShared } from '../harness/shared.ts'

export function readOneCell(rows: number): Experiment {
  return {
    name: 'read-one-cell',
    title: 'Random reads of one cell, one reader',
    unit: 'reads',
    ...besideRaw(rows, ['read', 'raw read', 'in one transaction of 1,000 reads'], {
      work: (how) => reading(OPERATIONS.read[how]),
      // The paper does not count the timestamp of a read.
      goal: { must: 0.85, aim: 0.97, paper: 0.94 },
    }),
    notes: [
      'A raw read is `readRows` of the cell store; an own transaction takes a timestamp too.',
    ],
  }
}

export function scan100(rows: number): Experiment {
  return {
    name: 'scan-100',
    title: 'Scans of 100 rows from a random row on, one reader',
    unit: 'scans',
    ...besideRaw(rows, ['100-row scan', 'raw scan', 'in one transaction of 100 scans'], {
      work: (how) => scanning(OPERATIONS.scan[how]),
      goal: { must: 0.75, aim: 0.95 },
    }),
  }
}

const OWN = 'each in its own transaction'

function besideRaw(
  rows: number,
  [one, raw, shared]: readonly [one: string, raw: string, shared: string],
  of: {
    readonly work: (how: 'raw' | 'shared' | 'own') => (store: FilledStore) => Work
    readonly goal: Pick<Goal, 'must' | 'aim' | 'paper'>
  },
): Pick<Experiment, 'contenders' | 'goals'> {
  const store = sharedStore({ rows, commit: 'auto' })
  return {
    contenders: [
      onShared(raw, store, of.work('raw')),
      onShared(shared, store, of.work('shared')),
      onShared(OWN, store, of.work('own')),
    ],
    goals: [
      { what: `${one} in a transaction / ${raw}`, of: shared, to: raw, ...of.goal },
      { what: `BEGIN, ${one}, COMMIT / ${raw}`, of: OWN, to: raw, ...of.goal },
    ],
  }
}
