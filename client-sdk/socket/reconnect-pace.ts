// SPDX-License-Identifier: Apache-2.0
import { reconnectMs } from '../backoff.ts'

/** A connection that stood for so long was worth having, even if nothing was told on it. */
const PROGRESS_MS = 10_000

/** Whether something that began then, by `performance.now`, has stood for long enough by now. */
export function isProgress(begunAt: number | undefined): boolean {
  return begunAt !== undefined && performance.now() - begunAt >= PROGRESS_MS
}

/**
 * When the next connection may be tried, for everything that a client has on sockets: its subscriptions
 * and observers share the attempts, so that a hundred of them try no more often than one. The pause grows
 * with each connection that failed or was lost, and starts again from the shortest only after progress: a
 * commit or a whole snapshot that arrived, a run of an observer that committed, or ten seconds of
 * connection. A server that takes connections and loses them at once is therefore tried less and less often.
 */
export class ReconnectPace {
  #losses = 0
  /** Of the sockets that go down with a server, only the first counts until the next is tried. */
  #isTried = false
  #notBefore = 0

  /** How long to wait before the next attempt, in milliseconds. */
  get waitMs(): number {
    return Math.max(0, this.#notBefore - performance.now())
  }

  /** A connection is about to be opened. */
  trying(): void {
    this.#isTried = true
  }

  /** A connection failed, or was lost after `openMs`. */
  lost(openMs: number): void {
    if (openMs >= PROGRESS_MS) this.#losses = 0
    if (!this.#isTried) return
    this.#isTried = false
    this.#losses += 1
    this.#notBefore = performance.now() + reconnectMs(this.#losses)
  }

  progressed(): void {
    this.#losses = 0
  }

  /** Something has changed that may help: the next attempt is due now. */
  hurry(): void {
    this.#notBefore = 0
  }
}
