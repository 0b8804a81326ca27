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
