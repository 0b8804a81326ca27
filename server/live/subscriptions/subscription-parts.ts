// SPDX-License-Identifier: Apache-2.0
import type { Logger } from 'pino'
import type { ParseRule } from '../../../planner/planner.ts'
import type { Clock, Storage } from '../../../storage/storage.ts'
import type { Access } from '../../guard/access/access.ts'
import type { OpaqueIds } from '../../guard/access/opaque-ids.ts'
import type { Shares } from '../../guard/budgets/shares.ts'
import type { TurnQueue } from '../../guard/budgets/turns.ts'
import type { AnswerWriter } from '../../requests/answers/answer-text.ts'
import type { StatementExecution } from '../../requests/statements/statement-execution.ts'
import type { EndedTransactions } from '../../requests/transactions/ended-transactions.ts'
import type { FrameCache } from './frames/frame-cache.ts'
import type { Permits } from './permits.ts'
import type { RecentCommits } from './recent-commits.ts'

/** What subscriptions work with. */
export type SubscriptionDependencies = {
  readonly storage: Storage
  readonly clock: Clock
  readonly log: Logger
  readonly writer: AnswerWriter
  readonly turnQueue: TurnQueue
  readonly shares: Shares
  readonly ended: EndedTransactions
  readonly execution: StatementExecution
  readonly access: Pick<Access, 'viewOf'>
  readonly parseRule: ParseRule
  readonly opaqueIds: OpaqueIds
  /** Held by those that read pages of the feed by themselves. */
  readonly readers: Permits
  /** What they need not ask the store for. */
  readonly recent: RecentCommits
  /** How many changes they have been told, all together. */
  readonly told: { count: number }
  /** What they have found out. */
  readonly frames: FrameCache
}
