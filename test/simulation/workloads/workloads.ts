// SPDX-License-Identifier: Apache-2.0
import type { SeededRandomness } from '../../seeded-randomness.ts'
import type { Swarm, Workload } from '../swarm.ts'
import { bankSetup, bankTransaction } from './bank-workload.ts'
import { definitionSetup, definitionsTransaction } from './definition-workload.ts'
import { identitiesTransaction } from './identity-workload.ts'
import { indexesTransaction, indexSetup } from './index-workload.ts'
import { listsTransaction } from './list-workload.ts'
import { observerSetup, observersTransaction } from './observer-workload.ts'
import { onCallSetup, onCallTransaction } from './on-call-workload.ts'
import { registersTransaction, scansTransaction } from './register-workload.ts'
import { statementsTransaction } from './statement-workload.ts'
import type { Work } from './work.ts'

/** Writes what the workloads begin with; no fault happens meanwhile. */
export async function setUp(work: Work): Promise<void> {
  bankSetup(work)
  onCallSetup(work)
  definitionSetup(work)
  if (work.swarm.mix.indexes > 0) await indexSetup(work)
  if (work.swarm.mix.observers > 0) await observerSetup(work)
}

export const TRANSACTIONS: Readonly<Record<Workload, (work: Work) => Promise<void>>> = {
  bank: bankTransaction,
  onCall: onCallTransaction,
  registers: registersTransaction,
  lists: listsTransaction,
  scans: scansTransaction,
  definitions: definitionsTransaction,
  indexes: indexesTransaction,
  observers: observersTransaction,
  statements: statementsTransaction,
  identities: identitiesTransaction,
}

export function drawWorkload(random: SeededRandomness, { mix }: Swarm): Workload {
  const shares = Object.entries(mix) as Array<[Workload, number]>
  let left = random.fraction() * shares.reduce((sum, [, share]) => sum + share, 0)
  for (const [workload, share] of shares) {
    left -= share
    if (left < 0) return workload
  }
  return shares.find(([, share]) => share > 0)?.[0] ?? 'bank'
}
