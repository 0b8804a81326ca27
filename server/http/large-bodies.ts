// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http'
import type { ClientKey } from '../budgets/client-key.ts'
import { FairQueue } from '../budgets/fair-queue.ts'
import { COUNTED_BYTES_MIN } from '../budgets/hold.ts'
import type { RunningRequests } from '../running-request.ts'
import type { TurnQueue, TurnTaker } from '../turns.ts'
import { WholeRequest } from '../whole-request.ts'

/** What is longer takes longer to read than a turn lasts. */
const LARGE_BYTES_MIN = 256 * 1024

/** So many bytes of bodies are read in one turn of the event loop, and a chunk of each connection that has begun one. */
export const READ_BYTES_MAX = 1024 * 1024
/** Node reads so many at a time. */
const CHUNK_BYTES = 64 * 1024

const NEVER = new AbortController().signal

/**
 * Reads bodies that are not small as fast as all others are not held up. The system keeps some megabytes for each
 * connection, and Node would read all that is there of all of them before anything else; and any number of bodies may
 * come to their end in one turn of the event loop, where some megabytes of JSON take a tenth of a second. So in a turn
 * some of each client's are read on, and what is whole waits as a request that has not begun. They are few, because
 * `receivedBytesMax` counts all of them.
 */
export class LargeBodies {
  readonly #turnQueue: TurnQueue
  readonly #requests: Pick<RunningRequests, 'clientOf'>
  readonly #paused = new FairQueue<() => void>()
  #bytesOfTurn = 0
  #isScheduled = false

  constructor(turnQueue: TurnQueue, requests: Pick<RunningRequests, 'clientOf'>) {
    this.#turnQueue = turnQueue
    this.#requests = requests
  }

  /** Whether the parts of its work have a turn each. */
  isLarge(bytes: number): boolean {
    return bytes >= LARGE_BYTES_MIN
  }

  /** Told of each request with a body, before any of it is read, also where it is going to be refused. */
  expect(raw: IncomingMessage, bytes: number): void {
    if (bytes < COUNTED_BYTES_MIN || !(raw instanceof WholeRequest)) return
    const client = this.#requests.clientOf(raw)
    const mayGoOn = () => !this.isLarge(bytes) && this.#turnQueue.isFree
    raw.readAt({
      took: (chunkBytes, goOn) => this.#took(client, chunkBytes, goOn),
      beforeEnd: () => (mayGoOn() ? undefined : this.turn(raw)),
    })
  }

  /** Resolves when it is its turn. */
  turn(raw: IncomingMessage): Promise<void> {
    const client = this.#requests.clientOf(raw)
    const taker: TurnTaker = { client, signal: NEVER, waitsForTurn: () => {}, hasTurn: () => {} }
    return this.#turnQueue.first(taker)
  }

  #took(client: ClientKey, bytes: number, goOn: () => void): boolean {
    this.#bytesOfTurn += bytes
    this.#schedule()
    if (this.#bytesOfTurn < READ_BYTES_MAX && this.#paused.size === 0) return true
    this.#paused.push(client, goOn)
    return false
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#bytesOfTurn = 0
      for (let bytes = 0; bytes < READ_BYTES_MAX; bytes += CHUNK_BYTES) this.#paused.shift()?.()
      if (this.#paused.size > 0) this.#schedule()
    })
  }
}
