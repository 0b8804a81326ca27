// SPDX-License-Identifier: Apache-2.0
import { createParser } from '../../parser/parser.ts'
import type { ParseRule } from '../../planner/planner.ts'
import { OpaqueIds } from '../../server/guard/access/opaque-ids.ts'
import { ruleParser } from '../../server/guard/access/rule-parser.ts'
import { Shares } from '../../server/guard/budgets/shares.ts'
import { TurnQueue } from '../../server/guard/budgets/turns.ts'
import { PlanCache } from '../../server/requests/statements/plan-cache.ts'
import type { ExecutionDependencies } from '../../server/requests/statements/statement-execution.ts'
import { EndedTransactions } from '../../server/requests/transactions/ended-transactions.ts'
import { catalogAt } from '../../server/snapshot.ts'
import { type Storage, systemClock, systemRandomness } from '../../storage/storage.ts'

/** What statements on this storage are run with where there is no whole server. */
export function executionDeps(storage: Storage): ExecutionDependencies & {
  readonly shares: Shares
  readonly turnQueue: TurnQueue
  readonly parseRule: ParseRule
  readonly opaqueIds: OpaqueIds
} {
  const parseRule = ruleParser(createParser())
  return {
    storage,
    clock: systemClock,
    randomness: systemRandomness,
    turnQueue: new TurnQueue(systemClock),
    plans: new PlanCache(parseRule),
    parseRule,
    shares: new Shares(),
    opaqueIds: new OpaqueIds(new Uint8Array(32)),
    ended: new EndedTransactions(),
    statementTimeoutMs: 30_000,
    access: {
      viewOf: (_principal, catalog) => catalog,
      currentCatalog: () => catalogAt(storage),
    },
  }
}
