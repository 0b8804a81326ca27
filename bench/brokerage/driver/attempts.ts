// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises'
import { TransactionAborted } from '../engine.ts'
import type { Tally } from './tally.ts'
import type { TransactionName } from './transaction-names.ts'

const ATTEMPTS_MAX = 20
/** In a row, which take some ten seconds. */
const LOSSES_MAX = 20
const BACKOFF_MS_MIN = 1
const BACKOFF_MS_MAX = 1_000

export type Call<Result> = {
  readonly name: TransactionName
  /** Runs the transaction from its beginning to its commit. Each time it reads everything again. */
  readonly work: () => Promise<Result>
  /**
   * Finds out whether a commit whose answer was lost has happened: its result, or undefined when it
   * has not. Absent where another attempt does no harm.
   */
  readonly settle?: () => Promise<Result | undefined>
}

export type Attempted<Result> =
  | { readonly kind: 'ended'; readonly result: Result; readonly attemptMs: number }
  | { readonly kind: 'gaveUp' }

export type AttemptsDependencies = {
  readonly tally: () => Tally
  readonly backOff: { next(): number }
  /**
   * Resolves once the engine takes work: at once, unless it was killed and is not back. Rejects when
   * nothing is to be tried any more.
   */
  readonly engineUp: () => Promise<void>
}

/**
 * Runs a transaction until it ends: at most 20 times, with a random time in between that grows from a
 * millisecond to a second. Attempts that failed because the connection was lost count apart: after a
 * crash it comes back, and where it does not the engine is gone. Rejects with whatever is not a
 * TransactionAborted, and with EngineGone.
 */
export async function attempt<Result>(
  call: Call<Result>,
  { tally, backOff, engineUp }: AttemptsDependencies,
): Promise<Attempted<Result>> {
  let losses = 0
  for (let attempts = 0; attempts < ATTEMPTS_MAX; ) {
    await engineUp()
    const startedMs = performance.now()
    try {
      const result = await call.work()
      return { kind: 'ended', result, attemptMs: performance.now() - startedMs }
    } catch (error) {
      if (!(error instanceof TransactionAborted)) throw error
      tally().aborted(call.name, error.abort, error.outcome)
      if (error.abort === 'connectionLost') losses += 1
      else {
        attempts += 1
        losses = 0
      }
      if (losses === LOSSES_MAX) throw new EngineGone(call.name, error)
      if (error.outcome === 'unknown' && call.settle !== undefined) {
        await engineUp()
        const result = await call.settle()
        if (result !== undefined) {
          return { kind: 'ended', result, attemptMs: performance.now() - startedMs }
        }
      }
    }
    const ms = Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** (attempts + losses))
    await delay(ms * (0.5 + backOff.next() / 2))
  }
  return { kind: 'gaveUp' }
}

/** It did not come back. */
class EngineGone extends Error {
  override readonly name = 'EngineGone'

  constructor(transaction: TransactionName, abort: TransactionAborted) {
    const { cause } = abort
    const last = cause instanceof Error ? cause.message : String(cause)
    super(
      `${transaction}: the connection was lost ${LOSSES_MAX} times in a row, at last: ${last}`,
      {
        cause,
      },
    )
  }
}
