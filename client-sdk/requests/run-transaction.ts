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
    if (ended.kind === 'done') return ended.value
    if (ended.kind === 'failed' || run >= tries) throw ended.error
    tell(onRetry, ended.error, run)
    await sleep(backoffMs(run, ended.error.retryAfterMs), signal)
  }
}

type Run<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'rerun'; readonly error: PercoliteError }

async function runOnce<T, Tx extends Ending>(
  begin: () => Promise<Tx>,
  work: (tx: Tx) => Promise<T> | T,
): Promise<Run<T>> {
  let transaction: Tx
  try {
    transaction = await begin()
  } catch (error) {
    return failedOrRerun(error)
  }
  let value: T
  try {
    value = await work(transaction)
  } catch (error) {
    await transaction.rollback()
    return failedOrRerun(error)
  }
  try {
    await transaction.commit()
  } catch (error) {
    await transaction.rollback() // Does something only where the commit was not even sent.
    // `work` caught the conflict that had ended it, and went on.
    const failure = transaction.retryableFailure
    const isClosed = hasCode(error, 'transaction_closed')
    if (isClosed && failure !== undefined) return { kind: 'rerun', error: failure }
    return error instanceof PercoliteError && error.retryable
      ? { kind: 'rerun', error }
      : { kind: 'failed', error }
  }
  return { kind: 'done', value }
}

function failedOrRerun(error: unknown): Run<never> {
  return error instanceof PercoliteError && isWorthRerun(error)
    ? { kind: 'rerun', error }
    : { kind: 'failed', error }
}
