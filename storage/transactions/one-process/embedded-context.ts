// SPDX-License-Identifier: Apache-2.0
import type { EmbeddedCellStore } from '../../cells/embedded-cell-store.ts'
import type { SynchronousOracle } from '../oracle/timestamp-oracle.ts'
import type { CommitLog } from '../protocol/commit-log.ts'
import type { ExclusiveLiveness } from '../protocol/liveness.ts'
import type { ProtocolContext } from '../protocol/protocol-context.ts'
import type { LatchTable } from './latches/latch-table.ts'

/** What the steps of the protocol use in a process that owns its store exclusively. */
export type EmbeddedContext = Omit<ProtocolContext, 'cellStore' | 'oracle' | 'liveness'> & {
  readonly cellStore: EmbeddedCellStore
  readonly oracle: SynchronousOracle
  readonly liveness: ExclusiveLiveness
  readonly latches: LatchTable
  readonly commitLog: CommitLog
  /** A commit of more rows than this is checked in several turns, so that other work runs in between. */
  readonly commitTurnRows: number
}
