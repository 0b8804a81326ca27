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

/**
 * What is read in batches: each is at hand, or a promise that has to be waited for before the next is asked for, and
 * then may turn out empty. `for await` takes them as they are.
 */
export type Batches<Batch> = Iterable<MaybePromise<Batch>>

/** In a source of `Batches`: the value, for which whoever asks for the next batch waits where it is a promise. */
export function* waitedFor<T>(
  value: MaybePromise<T>,
): Generator<Promise<readonly never[]>, T, undefined> {
  if (!(value instanceof Promise)) return value
  let known: T | undefined
  yield value.then((found) => {
    known = found
    return NONE
  })
  return known as T
}

const NONE: readonly never[] = []

/** The batches of a source that waits for each of them. */
export function batchesOf<T>(
  source: Batches<readonly T[]> | AsyncIterable<readonly T[]>,
): Batches<readonly T[]> {
  return Symbol.asyncIterator in source ? promisedBatches(source) : source
}

function* promisedBatches<T>(
  source: AsyncIterable<readonly T[]>,
): Generator<Promise<readonly T[]>, void, undefined> {
  const iterator = source[Symbol.asyncIterator]()
  let isDone = false
  while (!isDone) {
    yield iterator.next().then(({ done, value }) => {
      isDone = done === true
      return done === true ? NONE : value
    })
  }
}
