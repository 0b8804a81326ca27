// SPDX-License-Identifier: Apache-2.0

import type { TransactionProtocol } from '../protocol/transaction-protocol.ts'
import type { EmbeddedContext } from './embedded-context.ts'
import { commitOnePhase } from './one-phase-commit.ts'
import { ViewSnapshot } from './view/view-snapshot.ts'

/** The protocol of a process that owns its store exclusively: reads look at the view and at latches, never at locks. */
export function embeddedProtocol(context: EmbeddedContext): TransactionProtocol {
  context.latches.newest.earlierEndedAt(context.oracle.lastSeen())
  return {
    snapshotAt(readTs) {
      return new ViewSnapshot(context, readTs)
    },
    commit(request) {
      return commitOnePhase(context, request)
    },
  }
}
