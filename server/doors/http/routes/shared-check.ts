// SPDX-License-Identifier: Apache-2.0
import type { ConsistencyReport } from '../../../../storage/operations/operations.ts'
import { unlessAborted } from '../../../../storage/storage.ts'

type Round = {
  readonly stop: AbortController
  readonly report: Promise<ConsistencyReport>
  askers: number
}

/**
 * Checks of the whole store, one at a time. Clients that ask while one is running share the next one, so no client is
 * refused, and however many ask, no more than one runs and one waits. A check that no client waits for any more ends.
 */
export class SharedCheck {
  readonly #check: (signal: AbortSignal) => Promise<ConsistencyReport>
  /** The round that has not begun. */
  #next: Round | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(check: (signal: AbortSignal) => Promise<ConsistencyReport>) {
    this.#check = check
  }

  /** Resolves to the report of a check that began after the call. Rejects with the signal's reason. */
  async report(signal: AbortSignal): Promise<ConsistencyReport> {
    signal.throwIfAborted()
    this.#next ??= this.#newRound()
    const round = this.#next
    round.askers += 1
    try {
      return await unlessAborted(signal, round.report)
    } finally {
      round.askers -= 1
      if (round.askers === 0) this.#abandon(round)
    }
  }

  #newRound(): Round {
    const stop = new AbortController()
    const report = this.#last.then(() => {
      if (this.#next?.stop === stop) this.#next = undefined
      stop.signal.throwIfAborted()
      return this.#check(stop.signal)
    })
    this.#last = report.catch(() => undefined)
    return { stop, report, askers: 0 }
  }

  #abandon(round: Round): void {
    if (this.#next === round) this.#next = undefined
    round.stop.abort(new Error('Nobody waits for this check any more.'))
  }
}
