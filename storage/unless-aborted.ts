// SPDX-License-Identifier: Apache-2.0

/** Settles as the promise does, or rejects with the reason of the signal as soon as that is aborted. */
export async function unlessAborted<T>(
  signal: AbortSignal | undefined,
  promise: Promise<T>,
): Promise<T> {
  if (signal === undefined) return await promise
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([aborted.promise, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
