// SPDX-License-Identifier: Apache-2.0

/**
 * A value, or a promise of it when it must be waited for. The process that owns its store has nearly every read at
 * hand, and a promise in each layer would cost more than the read.
 */
export type MaybePromise<T> = T | Promise<T>

/** Returns what `next` makes of the value: at once, or as a promise. Throws what `next` throws, or rejects with it. */
export function andThen<T, U>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/**
 * Work that may have to wait, written as a generator: it yields each promise that it waits for, and gets its value.
 * `doWork` runs it. Unlike an async function it makes no promise where nothing has to be waited for.
 */
export type Work<T> = Generator<Promise<unknown>, T, unknown>

/** In a `Work`: the value, which is waited for only where it is a promise. */
export function* awaited<T>(value: MaybePromise<T>): Work<T> {
  return value instanceof Promise ? ((yield value) as T) : value
}

/**
 * Returns what the work returns: at once where it waits for nothing, else the promise of it. Throws what the work
 * throws, or rejects with it. `beforeWaiting` is called once, before the first wait; it must not throw.
 */
export function doWork<T>(work: Work<T>, beforeWaiting?: () => void): MaybePromise<T> {
  const first = work.next()
  if (first.done === true) return first.value
  beforeWaiting?.()
  return continued(work, first.value)
}

async function continued<T>(work: Work<T>, first: Promise<unknown>): Promise<T> {
  let waitingFor = first
  for (;;) {
    const next = await waitingFor.then(
      (value) => work.next(value),
      (error) => work.throw(error),
    )
    if (next.done === true) return next.value
    waitingFor = next.value
  }
}
