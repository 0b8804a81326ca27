// SPDX-License-Identifier: Apache-2.0

const BASE_MS = 10
const CAP_MS = 1_000

/**
 * Full jitter: anywhere from 0 to a bound that doubles with each try. Those who met in a conflict
 * come back spread out, and not all at once to meet again.
 */
export function backoffMs(tries: number, atLeastMs = 0): number {
  return atLeastMs + Math.random() * Math.min(CAP_MS, BASE_MS * 2 ** (tries - 1))
}

/** Resolves after `ms`; rejects with the signal's reason when it is aborted first. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
