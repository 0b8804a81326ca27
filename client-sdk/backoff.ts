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
  return jitterMs(BASE_MS, CAP_MS, tries, atLeastMs)
}

/** The same for a connection that was lost. */
export function reconnectMs(tries: number, atLeastMs = 0): number {
  return jitterMs(RECONNECT_BASE_MS, RECONNECT_CAP_MS, tries, atLeastMs)
}

function jitterMs(baseMs: number, capMs: number, tries: number, retryAfterMs: number): number {
  const patienceMs = Math.min(RETRY_AFTER_MS_MAX, Math.max(0, retryAfterMs))
  return patienceMs + Math.random() * Math.min(capMs, baseMs * 2 ** (tries - 1))
}

/** Resolves after `ms`; rejects with the signal's reason when it is aborted first. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const slept = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await orAborted(slept, signal).finally(() => clearTimeout(timer))
}

/** As `promise`, which is left to itself when the signal is aborted first: then its reason is thrown. */
export function orAborted<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** Aborted as soon as one of them is. */
export function eitherSignal(one: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  return other === undefined ? one : AbortSignal.any([other, one])
}
