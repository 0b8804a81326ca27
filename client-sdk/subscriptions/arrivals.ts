// SPDX-License-Identifier: Apache-2.0

/** What an iterator of arrivals reads from. */
export type ArrivalSource<T> = {
  /** What the next step gives; undefined while there is nothing. */
  take(): T | undefined
  /** Lets things arrive until the signal is aborted; rejects with what ended that. */
  run(signal: AbortSignal): Promise<never>
}

/**
 * An async iterator over what arrives. It begins with the first `next`, and ends by `return`, as
 * when a loop is left, or by an error, which is thrown when everything before it has been given.
 */
export class Arrivals<T> implements AsyncIterableIterator<T, undefined>, AsyncDisposable {
  readonly #source: ArrivalSource<T>
  readonly #signal: AbortSignal
  readonly #leaving = new AbortController()
  #running: Promise<void> | undefined
  #end: { readonly error?: unknown } | undefined
  #arrived = Promise.withResolvers<void>()

  constructor(source: ArrivalSource<T>, signal?: AbortSignal) {
    this.#source = source
    const own = this.#leaving.signal
    this.#signal = signal === undefined ? own : AbortSignal.any([signal, own])
  }

  /** To be called when there may be something to take. */
  arrived(): void {
    this.#arrived.resolve()
    this.#arrived = Promise.withResolvers()
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    while (true) {
      if (this.#leaving.signal.aborted) return { done: true, value: undefined }
      this.#running ??= this.#run()
      // After `return` nothing more is given of what has arrived already.
      const value = this.#signal.aborted ? undefined : this.#source.take()
      if (value !== undefined) return { done: false, value }
      if (this.#end !== undefined) return this.#ended(this.#end)
      await this.#arrived.promise
    }
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    this.#leaving.abort()
    await this.#running
    return { done: true, value: undefined }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Once; after that it is at its end. */
  #ended({ error }: { readonly error?: unknown }): IteratorResult<T, undefined> {
    this.#end = {}
    if (error !== undefined) throw error
    return { done: true, value: undefined }
  }

  async #run(): Promise<void> {
    try {
      await this.#source.run(this.#signal)
    } catch (error) {
      this.#end = { error }
    }
    this.arrived()
  }
}
