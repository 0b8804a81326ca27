// SPDX-License-Identifier: Apache-2.0
import { ServerError } from './server-error.ts'

/**
 * Runs one statement under a signal that is aborted when its time is over or when `signal` is.
 * Whatever the statement then throws, the reason of the abort is what comes out.
 */
export async function withDeadline<T>(
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted()
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(timedOut(timeoutMs)), timeoutMs)
  const forward = () => stop.abort(signal.reason)
  signal.addEventListener('abort', forward)
  try {
    return await work(stop.signal)
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', forward)
  }
}

function timedOut(timeoutMs: number): ServerError {
  return new ServerError(
    'statement_timeout',
    `The statement ran for ${timeoutMs} ms, which is as long as it may, and was stopped.`,
    { timeoutMs },
  )
}
