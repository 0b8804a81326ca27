// SPDX-License-Identifier: Apache-2.0
import type { ServerError } from '../../errors/server-error.ts'
import type { ClientKey } from './client-key.ts'
import { lineIsFull, type SharedBound } from './shared-bound.ts'

/** A request that waits for its turn, or has waited and is not answered yet. */
export type Waiting = {
  readonly client: ClientKey
  /** False from when it commits: its client may not be told any more that it was refused. */
  readonly mayGiveWay: boolean
  /** Ends it with this reason; it has left the line. */
  giveWay(reason: ServerError): void
}

/**
 * The requests that wait, within a bound that all clients share. Where it is full, the newest request of the longest
 * line gives way to one of a client that waits with fewer. So a few clients that fill it together, each with less than
 * its own share, keep no other out.
 *
 *     8, full:   A waits with 4, B with 3, C with 1
 *     C comes:   A's newest is refused, and C waits with 2
 *     B comes:   is refused, because A and B would only change places
 */
export class WaitingLine {
  readonly #bound: SharedBound
  /** Of each client in the order in which they came. None is empty. */
  readonly #lines = new Map<ClientKey, Set<Waiting>>()

  constructor(bound: SharedBound) {
    this.#bound = bound
  }

  /**
   * Nothing happens where it is in the line. Throws `client_overloaded`, and `overloaded` where no other client waits
   * with two more than this one.
   */
  enter(waiting: Waiting): void {
    const { client } = waiting
    if (this.#lines.get(client)?.has(waiting)) return
    const refusal = this.#bound.refusal(client)
    if (refusal === undefined) this.#bound.take(client)
    else if (!this.#makeWay(client)) throw refusal
    const line = this.#lines.get(client)
    if (line === undefined) this.#lines.set(client, new Set([waiting]))
    else line.add(waiting)
  }

  /** Nothing happens where it is not in the line any more. */
  leave(waiting: Waiting): void {
    if (this.#remove(waiting)) this.#bound.giveBack(waiting.client)
  }

  /** Whether there is a place for one more of the client, which it holds from now on. */
  #makeWay(client: ClientKey): boolean {
    const [longest, line] = this.#longestLine()
    const own = this.#lines.get(client)?.size ?? 0
    // With one less the two would take each other's places for as long as both send.
    if (longest === undefined || line.size < own + 2) return false
    const newest = [...line].findLast(({ mayGiveWay }) => mayGiveWay)
    if (newest === undefined) return false
    const reason = lineIsFull(this.#bound, line.size)
    this.#remove(newest)
    this.#bound.handOver(longest, client)
    newest.giveWay(reason)
    return true
  }

  /** Looks at as many clients as wait, and only where one is to be refused: that takes some microseconds. */
  #longestLine(): readonly [ClientKey | undefined, ReadonlySet<Waiting>] {
    let longest: ClientKey | undefined
    let line: ReadonlySet<Waiting> = new Set()
    for (const [client, waiting] of this.#lines) {
      if (waiting.size <= line.size) continue
      longest = client
      line = waiting
    }
    return [longest, line]
  }

  #remove(waiting: Waiting): boolean {
    const line = this.#lines.get(waiting.client)
    if (line?.delete(waiting) !== true) return false
    if (line.size === 0) this.#lines.delete(waiting.client)
    return true
  }
}
