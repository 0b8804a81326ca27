// SPDX-License-Identifier: Apache-2.0

import type { Turns } from '../../guard/budgets/turns.ts'

/** Lets work of the same name run one after the other, in the order in which it was asked for. */
export class OneAtATime {
  readonly #last = new Map<string, Promise<unknown>>()

  /**
   * Rejects with the signal's reason as soon as it is aborted before it is the work's turn, which
   * then never begins. Those that have waited for each other do not all run in one turn of the event loop.
   */
  async run<T>(name: string, { signal, turns }: Waiting, work: () => Promise<T>): Promise<T> {
    const last = this.#last.get(name)
    // Whether the one before succeeded is its own affair.
    const turn = last?.catch(() => undefined).then(() => turns.rejoin()) ?? Promise.resolve()
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

type Waiting = { readonly signal: AbortSignal; readonly turns: Pick<Turns, 'rejoin'> }

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
