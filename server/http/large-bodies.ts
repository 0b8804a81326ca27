// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http'
import type { ClientKey } from '../budgets/client-key.ts'
import { FairQueue } from '../budgets/fair-queue.ts'
import { COUNTED_BYTES_MIN } from '../budgets/hold.ts'
import { SERVER_LIMITS } from '../limits.ts'
import type { RunningRequests } from '../running-request.ts'
import { ClientDisconnected } from '../server-error.ts'
import type { TurnQueue, TurnTaker } from '../turns.ts'
import { WholeRequest } from '../whole-request.ts'

/** What is longer takes longer to read than a turn lasts. */
const LARGE_BYTES_MIN = 256 * 1024

/** So many bytes of bodies are read in one turn of the event loop, and a chunk of each connection that has begun one. */
export const READ_BYTES_MAX = 1024 * 1024
/** Node reads so many at a time. */
const CHUNK_BYTES = 64 * 1024
/** What is read at a time may be ten thousand chunks of a byte. To take one takes as long as to read so many bytes. */
const BYTES_PER_CHUNK = 1024

const NEVER = new AbortController().signal

/** A body whose request waits until it may read on. */
type PausedBody = {
  readonly raw: WholeRequest
  /** How many bytes its last read counts for. */
  bytes: number
}

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
  readonly #paused = new FairQueue<PausedBody>()
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
    const body: PausedBody = { raw, bytes: 0 }
    const mayGoOn = () => !this.isLarge(bytes) && this.#turnQueue.isFree
    raw.readAt({
      bytesMax: SERVER_LIMITS.bodyBytesMax,
      took: (chunkBytes) => this.#took(client, body, chunkBytes + BYTES_PER_CHUNK),
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
    if (!socket.destroyed) await this.#turnQueue.first(taker)
    if (socket.destroyed) throw new ClientDisconnected('The client left.')
  }

  /** Whether the body may be read on at once. */
  #took(client: ClientKey, body: PausedBody, bytes: number): boolean {
    this.#bytesOfTurn += bytes
    this.#schedule()
    if (body.raw.isHeldBack) {
      body.bytes += bytes
      return false
    }
    if (this.#bytesOfTurn < READ_BYTES_MAX && this.#paused.size === 0) return true
    body.bytes = bytes
    this.#paused.push(client, body)
    return false
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#bytesOfTurn = 0
      this.#goOn()
      if (this.#paused.size > 0) this.#schedule()
    })
  }

  /** Each is going to read about as much as the last time. */
  #goOn(): void {
    for (let bytes = 0; bytes < READ_BYTES_MAX; ) {
      const body = this.#paused.shift()
      if (body === undefined) return
      bytes += Math.max(body.bytes, CHUNK_BYTES)
      body.raw.goOn()
    }
  }
}
