// SPDX-License-Identifier: Apache-2.0
import type { CheckResult } from '../checks/check.ts'
import type { FoldFigures } from '../driver/broker-folder.ts'
import type { TransactionFigures } from '../driver/tally.ts'
import type { BrokerMode } from '../run-facts.ts'

/** Everything that one run on one engine found out. */
export type RunSummary = {
  readonly engine: { readonly name: string; readonly description: string }
  readonly seconds: number
  readonly users: number
  /** Trade results per second that the size of the population is meant for. */
  readonly nominal: number
  readonly isPaced: boolean
  readonly brokerMode: BrokerMode
  readonly transactions: readonly TransactionFigures[]
  readonly cpu: { readonly engine: number; readonly driver?: number }
  readonly fold?: FoldFigures
  /** Limit orders that waited for their price when the time was over. */
  readonly waiting: number
  readonly cancelledBefore: number
  readonly cancelledAfter: number
  readonly diskBytes: number
  readonly killed: boolean
  /** After the run, and again after the clean-up behind it; none without a database. */
  readonly checks: readonly CheckResult[]
  readonly checksAfterCleanup: readonly CheckResult[]
}
