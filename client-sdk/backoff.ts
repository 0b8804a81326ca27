// SPDX-License-Identifier: Apache-2.0

const BASE_MS = 10
const CAP_MS = 1_000

/** A server, or what stands before it, that asks for more patience than this is asked all the same. */
const RETRY_AFTER_MS_MAX = 60_000

/** A server that comes back is met by all of its clients, so they take longer than after a conflict. */
const RECONNECT_BASE_MS = 100
const RECONNECT_CAP_MS = 10_000

/**
 * Full jitter: anywhere from 0 to a bound that doubles with each try. Those who met in a conflict
 * come back spread out, and not all at once to meet again.
 */
export function backoffMs(tries: number, atLeastMs = 0): number {
  return patience(atLeastMs) + Math.random() * Math.min(CAP_MS, BASE_MS * 2 ** (tries - 1))
}

/** The same for a connection that was lost. */
export function reconnectMs(tries: number, atLeastMs = 0): number {
  const mostMs = Math.min(RECONNECT_CAP_MS, RECONNECT_BASE_MS * 2 ** (tries - 1))
  return patience(atLeastMs) + Math.random() * mostMs
}

function patience(retryAfterMs: number): number {
  return Math.min(RETRY_AFTER_MS_MAX, Math.max(0, retryAfterMs))
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

/** As `promise`, which is left to itself when the signal is aborted first: then its reason is thrown. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
