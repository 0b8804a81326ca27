// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from '../../../storage/cells/cell-store.ts'
import type { CommitLog } from '../checkers/commit-log.ts'
import type { History } from '../checkers/history.ts'
import type { Violations } from '../checkers/violations.ts'
import type { Swarm } from '../swarm.ts'
import type { Gateway, Surroundings } from './gateway.ts'

/** Where the database of a run stands: its processes, and the store that outlives them. */
export interface Site {
  readonly gateways: readonly Gateway[]
  /** What is certain to stay. It answers within one turn, and never fails. */
  readonly cells: CellStore
  /** Looks at what must hold in every moment, after each event. */
  checkMoment(): void
  /** Looks at what must hold when nothing is under way. */
  checkRest(): void
}

export type SiteDependencies = {
  readonly world: Surroundings
  readonly swarm: Swarm
  readonly log: CommitLog
  readonly history: History
  readonly violations: Violations
}
