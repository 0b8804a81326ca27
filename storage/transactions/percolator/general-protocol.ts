// SPDX-License-Identifier: Apache-2.0

import type { SharedCommitLog } from '../protocol/commit-log.ts'
import { refusalOf } from '../protocol/commit-refusal.ts'
import type { ProtocolContext } from '../protocol/protocol-context.ts'
import type {
  CommitOutcome,
  CommitRequest,
  TransactionProtocol,
} from '../protocol/transaction-protocol.ts'
import type { CommitPace } from './commit-pace.ts'
import { GeneralReads } from './general-reads.ts'
import type { LockResolver } from './lock-resolver.ts'
import { Snapshot } from './snapshot.ts'
import { commitTwoPhase } from './two-phase-commit.ts'
import { planWriteSet } from './write-set.ts'

/** The paper's protocol over any cell store: every lock is a cell, and any process may settle it. */
export function generalProtocol(
  context: ProtocolContext,
  resolver: LockResolver,
  commitLog: SharedCommitLog,
  pace?: CommitPace,
): TransactionProtocol {
  const { cellStore } = context
  return {
    snapshotAt(readTs) {
      return new GeneralReads(cellStore, new Snapshot(context, resolver, readTs))
    },
    commit: (request) => commitNoted({ context, resolver, commitLog, pace }, request),
  }
}

/** The log's row joins the write set, and so exists exactly when the transaction has committed (J9). */
async function commitNoted(
  parts: {
    readonly context: ProtocolContext
    readonly resolver: LockResolver
    readonly commitLog: SharedCommitLog
    readonly pace: CommitPace | undefined
  },
  request: CommitRequest,
): Promise<CommitOutcome> {
  const { context, resolver, commitLog, pace } = parts
  try {
    const log = await commitLog.rowFor(request)
    const { commitTsMax } = log ?? {}
    const rows = log === undefined ? request.rows : [...request.rows, log.row]
    const writeSet = planWriteSet({ ...request, rows }, context.liveness, context.cellStore.limits)
    const paced = pace?.begin(context, writeSet)
    const used = paced?.context ?? context
    const outcome = await commitTwoPhase(used, resolver, { ...writeSet, commitTsMax })
    paced?.decided()
    // Its process counts as dead, and would have told nobody.
    if (paced?.isKilled) return { kind: 'unknown' }
    if (log !== undefined && outcome.kind === 'committed') {
      commitLog.committed(log.row.key, outcome.commitTs)
    }
    return outcome
  } catch (error) {
    return { kind: 'aborted', reason: refusalOf(error) }
  }
}
