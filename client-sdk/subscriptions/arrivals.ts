// SPDX-License-Identifier: Apache-2.0
import { eitherSignal } from '../backoff.ts'

/**
 * An async iterator over what arrives. It begins with the first `next`, and ends by `return`, as
 * when a loop is left, or by an error, which is thrown when everything before it has been given.
 */
export class Arrivals<T> implements AsyncIterableIterator<T, undefined>, AsyncDisposable {
  readonly #take: () => T | undefined
  readonly #run: (signal: AbortSignal) => Promise<never>
  readonly #signal: AbortSignal
  readonly #leaving = new AbortController()
  #running: Promise<void> | undefined
  #end: { readonly error?: unknown } | undefined
  #arrived = Promise.withResolvers<void>()

  /**
   * `take` answers what the next step gives, undefined while there is nothing. `run` lets things arrive until the
   * signal is aborted, and rejects with what ended that.
   */
  constructor(
    take: () => T | undefined,
    run: (signal: AbortSignal) => Promise<never>,
    signal: AbortSignal | undefined,
  ) {
    this.#take = take
    this.#run = run
    this.#signal = eitherSignal(this.#leaving.signal, signal)
  }

  /** To be called when there may be something to take. */
  protected arrived(): void {
    this.#arrived.resolve()
    this.#arrived = Promise.withResolvers()
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    while (true) {
      if (this.#leaving.signal.aborted) return { done: true, value: undefined }
      this.#running ??= this.#untilEnded()
      // After `return` nothing more is given of what has arrived already.
      const value = this.#signal.aborted ? undefined : this.#take()
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

  async #untilEnded(): Promise<void> {
    try {
      await this.#run(this.#signal)
    } catch (error) {
      this.#end = { error }
    }
    this.arrived()
  }
}
