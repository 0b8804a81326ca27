// SPDX-License-Identifier: Apache-2.0

/** Lets work of the same name run one after the other, in the order in which it was asked for. */
export class OneAtATime {
  readonly #last = new Map<string, Promise<unknown>>()

  /**
   * Rejects with the signal's reason as soon as it is aborted before it is the work's turn, which
   * then never begins.
   */
  async run<T>(name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    // Whether the one before succeeded is its own affair.
    const turn = (this.#last.get(name) ?? Promise.resolve()).catch(() => undefined)
    const running = turn.then(() => {
      signal.throwIfAborted()
      return work()
    })
    this.#last.set(name, running)
    const forget = () => {
      if (this.#last.get(name) === running) this.#last.delete(name)
    }
    running.then(forget, forget)
    await untilItsTurn(turn, signal)
    return await running
  }
}

async function untilItsTurn(turn: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    await Promise.race([turn, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
