// SPDX-License-Identifier: Apache-2.0
import type { ServerResponse } from 'node:http'
import type { ClientKey } from './client-key.ts'
import type { SharedBound } from './shared-bound.ts'

/**
 * Requests and responses below this size are not counted: there is at most one of each on a connection, and connections
 * are counted themselves.
 */
export const COUNTED_BYTES_MIN = 16 * 1024

/** What one request, answer or socket holds of a bound; the amount goes up and down until it is released. */
export class Reservation {
  readonly #bound: SharedBound
  readonly #client: ClientKey
  #amount = 0
  #isClosed = false

  constructor(bound: SharedBound, client: ClientKey) {
    this.#bound = bound
    this.#client = client
  }

  get amount(): number {
    return this.#amount
  }

  /**
   * Holds `amount` from now on. Throws as `SharedBound.take` where that is more than may be held;
   * then nothing changes.
   */
  moveTo(amount: number): void {
    if (this.#isClosed) return
    const more = amount - this.#amount
    if (more > 0) this.#bound.take(this.#client, more)
    else if (more < 0) this.#bound.giveBack(this.#client, -more)
    this.#amount = amount
  }

  /** Holds `amount` without asking: it is in memory already. `isOverdrawn` tells whether that is too much. */
  set(amount: number): void {
    if (amount === this.#amount || this.#isClosed) return
    this.#bound.giveBack(this.#client, this.#amount - amount)
    this.#amount = amount
  }

  /** Whether the client, with all that it holds, has more than it may. */
  get isOverdrawn(): boolean {
    return !this.#bound.mayHold(this.#client, 0)
  }

  release(): void {
    this.moveTo(0)
  }

  /** Holds `amount` until the answer is out or its client has gone. Throws as `moveTo`. */
  untilClosed(response: ServerResponse, amount: number): void {
    this.moveTo(amount)
    response.once('close', () => this.close())
  }

  /** Releases all of it, for good: what still works for a client that has gone holds nothing any more. */
  close(): void {
    this.release()
    this.#isClosed = true
  }
}
