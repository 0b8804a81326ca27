// SPDX-License-Identifier: Apache-2.0
import type { Socket } from 'node:net'
import type { WebSocket } from '@fastify/websocket'
import { COUNTED_BYTES_MIN, type Reservation } from '../../guard/budgets/hold.ts'

/** Bytes of the head of a control frame of a client: opcode and length, and the mask. */
const CONTROL_HEAD_BYTES = 6

/**
 * The bytes of a frame that has begun to arrive and is not whole, in however many fragments: they are in memory until
 * its last one comes. What follows a whole frame in the same chunk is counted from the next chunk on.
 */
export class FrameArrival {
  readonly #reservation: Reservation
  #bytes = 0
  /** When a look first found the frame begun. */
  #beganMs: number | undefined

  constructor(socket: WebSocket, connection: Socket, reservation: Reservation) {
    this.#reservation = reservation
    // Before the socket reads it, which tells of a whole frame in the same turn.
    connection.prependListener('data', (chunk: Buffer) => this.#count(chunk.length))
    socket.on('message', () => this.#isWhole())
    for (const control of ['ping', 'pong'] as const) {
      socket.on(control, ({ length }: Buffer) => this.#count(-CONTROL_HEAD_BYTES - length))
    }
    socket.once('close', () => reservation.close())
  }

  /** Whether the client has more bytes on their way than it may. */
  get isTooMuch(): boolean {
    return this.#reservation.amount > 0 && this.#reservation.isOverdrawn
  }

  /** For how long the frame has been arriving; 0 where none is. To be asked about once a second. */
  ageMs(nowMs: number): number {
    if (this.#bytes === 0) return 0
    this.#beganMs ??= nowMs
    return nowMs - this.#beganMs
  }

  #count(bytes: number): void {
    this.#bytes = Math.max(0, this.#bytes + bytes)
    if (this.#bytes === 0) this.#isWhole()
    else if (this.#bytes >= COUNTED_BYTES_MIN) this.#reservation.set(this.#bytes)
  }

  #isWhole(): void {
    this.#bytes = 0
    this.#beganMs = undefined
    this.#reservation.set(0)
  }
}
