// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from '../../cells/cell-store.ts'
import type { Clock } from '../../clock.ts'
import type { Measures } from '../../measures.ts'
import type { Randomness } from '../../randomness.ts'
import type { StorageLog } from '../../storage-log.ts'
import type { TimestampOracle } from '../oracle/timestamp-oracle.ts'
import type { BackgroundWork } from './background-work.ts'
import type { Liveness } from './liveness.ts'

/** All dependencies of the protocol's steps. */
export type ProtocolContext = {
  /** While somebody watches rows it is a decorator, so it is looked up again for each mutation. */
  cellStore: CellStore
  readonly oracle: TimestampOracle
  readonly clock: Clock
  readonly randomness: Randomness
  readonly liveness: Liveness
  /** Work that is not waited for: commits of secondaries, cleaning up. */
  readonly background: Pick<BackgroundWork, 'start' | 'drain'>
  readonly log: StorageLog
  readonly measures: Measures
}
