// SPDX-License-Identifier: Apache-2.0
import type { LockResolver } from './lock-resolver.ts'
import type { ProtocolContext } from './protocol-context.ts'
import { Snapshot } from './snapshot.ts'
import { scanSnapshot } from './snapshot-scan.ts'
import type { TransactionProtocol } from './transaction-protocol.ts'
import { commitTwoPhase } from './two-phase-commit.ts'
import { planWriteSet } from './write-set.ts'

/** The paper's protocol over any cell store: every lock is a cell, and anybody may settle it. */
export function generalProtocol(
  context: ProtocolContext,
  resolver: LockResolver,
): TransactionProtocol {
  const { cellStore, liveness } = context
  return {
    snapshotAt(readTs) {
      const snapshot = new Snapshot(context, resolver, readTs)
      return {
        getRow: async (key, columns, signal) => {
          const [row] = await snapshot.getRows([key], columns, signal)
          return row ?? null
        },
        getRows: (keys, columns, signal) => snapshot.getRows(keys, columns, signal),
        scan: (range) => scanSnapshot(cellStore, snapshot, range),
      }
    },
    commit: (request) => commitTwoPhase(context, resolver, planWriteSet(request, liveness)),
  }
}
