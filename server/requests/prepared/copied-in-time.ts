// SPDX-License-Identifier: Apache-2.0
import { ServerError } from '../../errors/server-error.ts'

type Wait = {
  readonly waitMs: number
  /** Of the request, which may end early. */
  readonly signal: AbortSignal
  readonly late: () => Error
}

/**
 * Settles as a commit does that waits for a second copy, but after `waitMs`, or when its request ends, rejects with
 * `late`: a standby may be away for hours. The commit itself goes on.
 */
export async function copiedInTime<T>(
  committing: Promise<T>,
  { waitMs, signal, late }: Wait,
): Promise<T> {
  const ended = Promise.withResolvers<never>()
  const end = () => ended.reject(late())
  const timer = setTimeout(end, waitMs)
  signal.addEventListener('abort', end, { once: true })
  try {
    return await Promise.race([committing, ended.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}

/** Of a transaction that keeps no record which could be asked for later. */
export function notCopiedInTime(): ServerError {
  const detail =
    'No standby has a second copy so far: the transaction may or may not be committed. Read before you write again.'
  return new ServerError('commit_outcome_unknown', detail)
}
