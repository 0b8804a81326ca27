// SPDX-License-Identifier: Apache-2.0
import { backoffMs, sleep } from '../backoff.ts'
import { clientError, type ErrorCode, hasCode, PercoliteError } from '../errors.ts'
import { isWorthReconnect } from '../socket/socket-frame.ts'
import type { CommitAnswer, TransactionOutcome } from '../wire.ts'
import type { Http } from './http.ts'

/** Says of a commit that failed whether it may have happened all the same. */
export function isOutcomeUnknown(error: unknown): error is PercoliteError {
  // What another server answers after a crash proves nothing.
  return isWorthReconnect(error) || hasCode(error, ...UNKNOWN)
}

const UNKNOWN: readonly ErrorCode[] = [
  'commit_outcome_unknown',
  'invalid_answer',
  // One request at a time: the commit whose answer was lost may be the one that is running.
  'transaction_busy',
  // Neither does what a fault answers.
  'internal',
]

/**
 * Asks for the commit, once, and answers its timestamp (null when nothing was written). Throws
 * `invalid_answer` for an answer that does not say so, which then is none of a Percolite server.
 */
export async function requestCommit(http: Http, transactionPath: string, timeoutMs?: number) {
  try {
    const path = `${transactionPath}/commit`
    const { commitTimestamp } = await http.request<CommitAnswer>('POST', path, undefined, {
      timeoutMs,
    })
    if (commitTimestamp === null || Number.isSafeInteger(commitTimestamp)) return commitTimestamp
  } catch (error) {
    // Its headers came, and only what follows them was lost.
    if (error instanceof PercoliteError && error.committed) return error.commitTimestamp ?? null
    throw error
  }
  throw clientError('invalid_answer')
}

/**
 * Settles a commit whose answer was lost, by the transaction's own record on the server. Answers the
 * commit timestamp (null when nothing was written). Throws a retryable `transaction_rolled_back` or
 * conflict when it is certain that nothing was kept, and `commit_outcome_unknown` naming the
 * transaction when the server could not be asked for `settleMs`, or no longer knows.
 */
export async function settleCommit(
  http: Http,
  transaction: string,
  lost: PercoliteError,
  settleMs: number,
): Promise<number | null> {
  const path = `/v1/transactions/${encodeURIComponent(transaction)}`
  const deadlineAt = performance.now() + settleMs
  const leftMs = () => Math.max(0, deadlineAt - performance.now())
  for (let tries = 1; leftMs() > 0; tries += 1) {
    const waiting = { timeoutMs: Math.max(1, leftMs()) }
    const pending = http.request<TransactionOutcome>('GET', path, undefined, waiting)
    const outcome = await answerOrNothing(pending).catch((error: unknown) => {
      const isForgotten = hasCode(error, 'unknown_transaction')
      throw isForgotten ? stillUnknown(transaction, lost) : error
    })
    switch (outcome?.status) {
      case 'committed':
        return outcome.commitTimestamp ?? null
      case 'rolledBack':
        throw rolledBack(transaction, outcome.reason, lost)
      case 'unknown':
        throw stillUnknown(transaction, lost)
      case 'active': {
        // The commit did not arrive, or is under way; repeating it answers the same either way.
        const answer = await answerOrNothing(requestCommit(http, path, leftMs()))
        if (answer !== undefined) return answer
      }
    }
    await sleep(Math.min(leftMs(), backoffMs(tries, lost.retryAfterMs)))
  }
  throw stillUnknown(transaction, lost)
}

/** Undefined where asking failed as the commit did; what is certain is thrown. */
async function answerOrNothing<Answer>(pending: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await pending
  } catch (error) {
    if (isOutcomeUnknown(error)) return undefined
    // It ended between the two questions: the next answer tells how.
    if (hasCode(error, 'transaction_closed')) return undefined
    throw error
  }
}

function rolledBack(transaction: string, reason: string | undefined, cause: PercoliteError) {
  return new PercoliteError({
    code: 'transaction_rolled_back',
    message: `The transaction was rolled back${reason === undefined ? '' : `: ${reason}`}.`,
    retryable: true,
    fields: { transaction },
    cause,
  })
}

function stillUnknown(transaction: string, cause: PercoliteError) {
  return new PercoliteError({
    code: 'commit_outcome_unknown',
    message: `Whether the transaction ${transaction} was committed could not be learned.`,
    httpStatus: cause.httpStatus,
    fields: { transaction },
    cause,
  })
}
