// SPDX-License-Identifier: Apache-2.0
import { backoffMs, sleep } from '../backoff.ts'
import { hasCode, PercoliteError } from '../errors.ts'
import { tell } from '../tell.ts'
import { type BeginOptions, isWorthRerun, type Transaction } from './transaction.ts'

export type TransactionOptions = BeginOptions & {
  /** How often it is run at most; 8 if not given. */
  readonly tries?: number
  /**
   * Called before each run after the first, with what ended the run before. What it throws is not
   * heeded.
   */
  readonly onRetry?: (error: PercoliteError, tries: number) => void
}

const TRIES = 8

/** What is asked of a transaction, whatever its tables. */
type Ending = Pick<Transaction, 'commit' | 'rollback' | 'retryableFailure'>

/**
 * Runs `work` in a transaction and commits it; runs the whole of it again, at a new snapshot, while
 * it meets conflicts. `work` may therefore run several times, and should do nothing outside the
 * transaction that may not happen twice. What it throws rolls back and is thrown on.
 */
export async function runTransaction<T, Tx extends Ending = Transaction>(
  begin: () => Promise<Tx>,
  work: (tx: Tx) => Promise<T> | T,
  { tries = TRIES, onRetry, signal }: TransactionOptions = {},
): Promise<T> {
  for (let run = 1; ; run += 1) {
    signal?.throwIfAborted()
    const ended = await runOnce(begin, work)
    if ('value' in ended) return ended.value
    const { error } = ended
    if (run >= tries) throw error
    tell(onRetry, error, run)
    await sleep(backoffMs(run, error.retryAfterMs), signal)
  }
}

/** The value, or what ended the run so that another one may go well. Throws everything else. */
async function runOnce<T, Tx extends Ending>(
  begin: () => Promise<Tx>,
  work: (tx: Tx) => Promise<T> | T,
): Promise<{ readonly value: T } | { readonly error: PercoliteError }> {
  let transaction: Tx | undefined
  let isCommitting = false
  try {
    transaction = await begin()
    const value = await work(transaction)
    isCommitting = true
    await transaction.commit()
    return { value }
  } catch (error) {
    await transaction?.rollback() // Does something only where the commit was not even sent.
    // `work` caught the conflict that had ended it, and went on.
    const failure = transaction?.retryableFailure
    const isClosed = isCommitting && hasCode(error, 'transaction_closed')
    if (isClosed && failure !== undefined) return { error: failure }
    if (!(error instanceof PercoliteError)) throw error
    if (isCommitting ? error.retryable : isWorthRerun(error)) return { error }
    throw error
  }
}
