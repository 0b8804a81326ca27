// SPDX-License-Identifier: Apache-2.0
import type { Observers } from '../../../storage/storage.ts'
import type { FaultLog } from '../../errors/fault-log.ts'
import type { Shares } from '../../guard/budgets/shares.ts'
import type { Subscriptions } from '../../live/subscriptions/subscriptions.ts'
import type { RunningRequests } from '../../requests/prepared/running-requests.ts'
import type { StatementDependencies } from '../../requests/statements/statement-execution.ts'
import type { StatementRunner } from '../../requests/statements/statement-runner.ts'
import type { ClientFrameReader } from './client-frame.ts'

/** What sockets answer their frames by. */
export type SocketDependencies = StatementDependencies & {
  readonly runner: StatementRunner
  readonly requests: RunningRequests
  readonly shares: Shares
  readonly faults: FaultLog
  readonly version: string
  readonly subscriptions: Subscriptions
  readonly observers: Pick<Observers, 'lease'>
  readonly frames: ClientFrameReader
  /** The name of the store's history. */
  readonly history: string
}
