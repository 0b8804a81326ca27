// SPDX-License-Identifier: Apache-2.0
import type { SeededRandomness } from '../../seeded-randomness.ts'
import type { Violations } from '../checkers/violations.ts'
import type { Counters } from '../sometimes.ts'
import type { Swarm } from '../swarm.ts'
import type { ClientTransaction } from './client-transaction.ts'

/** What a workload works with; `think` passes virtual time between two requests. */
export type Work = {
  readonly transaction: ClientTransaction
  readonly random: SeededRandomness
  readonly swarm: Swarm
  readonly counters: Counters
  readonly violations: Violations
  readonly think: () => Promise<void>
}
