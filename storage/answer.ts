// SPDX-License-Identifier: Apache-2.0

/**
 * What is at hand, or the promise of it. In the process that owns its store nearly every read is answered
 * in its turn, and a promise at each layer for it would cost more than the read.
 */
export type Answer<T> = T | Promise<T>

/** Goes on with an answer: at once, or when it is there. Throws what `next` throws, or rejects with it. */
export function andThen<T, U>(answer: Answer<T>, next: (value: T) => Answer<U>): Answer<U> {
  return answer instanceof Promise ? answer.then(next) : next(answer)
}

/**
 * Work that may have to wait, written as a generator: it yields each promise that it waits for, and gets its value.
 * `doWork` runs it. Unlike an async function it makes no promise where nothing has to be waited for.
 */
export type Work<T> = Generator<Promise<unknown>, T, unknown>

/** In a `Work`: the value, which is waited for only where it is a promise. */
export function* awaited<T>(value: Answer<T>): Work<T> {
  return value instanceof Promise ? ((yield value) as T) : value
}

/**
 * Returns what the work returns: at once where it waits for nothing, else the promise of it. Throws what the work
 * throws, or rejects with it. `beforeWaiting` is called once, before the first wait; it must not throw.
 */
export function doWork<T>(work: Work<T>, beforeWaiting?: () => void): Answer<T> {
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
