// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http'
import { ClientDisconnected } from '../../../errors/server-error.ts'
import { COUNTED_BYTES_MIN } from '../../../guard/budgets/hold.ts'
import type { TurnTaker } from '../../../guard/budgets/turns.ts'
import { SERVER_LIMITS } from '../../../limits.ts'
import type { RunningRequests } from '../../../requests/prepared/running-requests.ts'
import { WholeRequest } from './whole-request.ts'

/** What is longer takes longer to read than a turn lasts. */
const LARGE_BYTES_MIN = 256 * 1024

const NEVER = new AbortController().signal

/**
 * Gives each part of the work on a large body a turn of its own. Any number of bodies may come to their
 * end in one turn of the event loop, where some megabytes of JSON take a tenth of a second. So what is
 * whole waits as a request that has not begun. Such bodies are few, because `receivedBytesMax` counts
 * all of them.
 */
export class LargeBodies {
  readonly #requests: Pick<RunningRequests, 'clientOf' | 'turnQueue'>

  constructor(requests: Pick<RunningRequests, 'clientOf' | 'turnQueue'>) {
    this.#requests = requests
  }

  /** Whether the parts of its work have a turn each. */
  isLarge(bytes: number): boolean {
    return bytes >= LARGE_BYTES_MIN
  }

  /** Told of each request with a body, before any of it is read, also where it is going to be refused. */
  expect(raw: IncomingMessage, bytes: number): void {
    if (bytes < COUNTED_BYTES_MIN || !(raw instanceof WholeRequest)) return
    const mayGoOn = () => !this.isLarge(bytes) && this.#requests.turnQueue.isFree
    raw.readAt({
      bytesMax: SERVER_LIMITS.bodyBytesMax,
      beforeEnd: () => (mayGoOn() ? undefined : this.turn(raw)),
    })
  }

  /** Resolves when it is its turn. Throws ClientDisconnected when its client leaves before. */
  async turn(raw: IncomingMessage): Promise<void> {
    const { socket } = raw
    const client = this.#requests.clientOf(raw)
    let left = () => {}
    const taker: TurnTaker = {
      client,
      signal: NEVER,
      waitsForTurn: (goOn) => {
        left = goOn
        socket.once('close', left)
      },
      hasTurn: () => socket.off('close', left),
    }
    if (!socket.destroyed) await this.#requests.turnQueue.first(taker)
    if (socket.destroyed) throw new ClientDisconnected('The client left.')
  }
}
