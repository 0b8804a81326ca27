// SPDX-License-Identifier: Apache-2.0
import { type AbortCause, TransactionAborted } from '../../engine.ts'
import type { AnyRow } from '../buffered-transaction.ts'
import type { PercoliteStatement } from './percolite-statements.ts'

/** What `POST /v1/query` takes, and a `query` on a socket as well. */
export type PercoliteRequest = {
  readonly statements: readonly PercoliteStatement[]
  readonly asOf?: number
  readonly transaction?: string
  readonly keepOpen?: true
}

export type PercoliteAnswer = {
  readonly results: ReadonlyArray<{ readonly rows: AnyRow[]; readonly rowsAffected: number }>
  readonly readTimestamp: number
  /** Of the transaction that stays open. */
  readonly transaction?: string
}

/** Where requests are sent. */
export interface PercoliteAsking {
  /**
   * Rejects with TransactionAborted where trying again may help. Only of a request that commits does
   * nobody know what became of it when its answer is lost.
   */
  ask(request: PercoliteRequest, options?: { readonly commits?: boolean }): Promise<PercoliteAnswer>
}

/** The way to one server. */
export interface PercoliteRequests extends PercoliteAsking {
  /** Does not wait for answers that are still to come. */
  close(): Promise<void>
}

const CAUSES: Readonly<Record<string, AbortCause>> = {
  write_conflict: 'writeConflict',
  locked: 'locked',
  transaction_expired: 'timeout',
  overloaded: 'other',
  // The server is there, and what is asked of it is done elsewhere, soon.
  moving: 'connectionLost',
  moved: 'connectionLost',
}

/** What an error of the server means for the transaction; `cause` itself where that was a mistake. */
export function abortOfCode(code: string, cause: unknown): unknown {
  if (code === 'commit_outcome_unknown') {
    return new TransactionAborted('other', { outcome: 'unknown', cause })
  }
  const abort = CAUSES[code]
  return abort === undefined ? cause : new TransactionAborted(abort, { cause })
}

/** The answer will not come. */
export function abortOfLoss(cause: unknown, commits: boolean): TransactionAborted {
  return new TransactionAborted('connectionLost', {
    outcome: commits ? 'unknown' : 'rolledBack',
    cause,
  })
}
