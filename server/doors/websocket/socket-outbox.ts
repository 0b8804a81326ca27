// SPDX-License-Identifier: Apache-2.0
import type { Socket } from 'node:net'
import type { WebSocket } from '@fastify/websocket'
import type { Clock } from '../../../storage/storage.ts'
import { COUNTED_BYTES_MIN, type Reservation } from '../../guard/budgets/hold.ts'
import { Room } from '../../guard/budgets/room.ts'
import { SERVER_LIMITS } from '../../limits.ts'

/** A long frame goes in pieces of this size, and few of them at a time are handed on to the kernel. */
const PIECE_BYTES = 64 * 1024
const HANDED_BYTES_MAX = 4 * PIECE_BYTES

/** Who waits for room is woken to send much at once: each reads a page of history for it first. */
const ROOM_AGAIN_BYTES = SERVER_LIMITS.socketUnsentBytesMax / 2

type Piece = { readonly bytes: Buffer; readonly isLast: boolean }

/**
 * What is sent on one socket, and how much of it waits: a sender of much asks for room first.
 * Nothing is copied here, so what many sockets wait to send is in memory once. Pieces are handed on as
 * the client takes the ones before, which tells a slow client from one that takes nothing.
 */
export class SocketOutbox {
  readonly #socket: WebSocket
  readonly #connection: Pick<Socket, 'write'>
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #reservation: Reservation
  readonly #room = new Room(() => this.isWritable && this.unsentBytes <= ROOM_AGAIN_BYTES)
  #pieces: Piece[] = []
  #piecesBytes = 0
  /** Since when the client has taken nothing of what waits. */
  #stuckSinceMs = 0
  #closing: { readonly code: number; readonly reason: string } | undefined

  /** `connection` is what the socket stands on; `hold` holds what waits here. */
  constructor(
    socket: WebSocket,
    connection: Pick<Socket, 'write'>,
    clock: Pick<Clock, 'monotonicMs'>,
    reservation: Reservation,
  ) {
    this.#reservation = reservation
    this.#socket = socket
    this.#connection = connection
    this.#clock = clock
  }

  get unsentBytes(): number {
    return this.#piecesBytes + this.#socket.bufferedAmount
  }

  /** Little may always wait, or a client whose other sockets are stuck would wait on this one for ever. */
  get isWritable(): boolean {
    const { unsentBytes } = this
    if (unsentBytes < COUNTED_BYTES_MIN) return true
    return unsentBytes < SERVER_LIMITS.socketUnsentBytesMax && !this.#reservation.isOverdrawn
  }

  /** One text frame, in as many parts as are given. Behind `closeAfterAll` nothing is sent any more. */
  send(parts: readonly Buffer[]): void {
    if (!this.#isOpen || this.#closing !== undefined) return
    if (this.unsentBytes === 0) this.#stuckSinceMs = this.#clock.monotonicMs()
    parts.forEach((part, index) => {
      const isLastPart = index === parts.length - 1
      for (let start = 0; start < part.length; start += PIECE_BYTES) {
        const end = start + PIECE_BYTES
        this.#pieces.push({
          bytes: part.subarray(start, end),
          isLast: isLastPart && end >= part.length,
        })
      }
      this.#piecesBytes += part.length
    })
    this.#handOn()
    this.#weigh()
  }

  /** Nothing waits here, and little in the socket: what is sent now is handed on at once. */
  get isClear(): boolean {
    return this.#pieces.length === 0 && this.#socket.bufferedAmount < HANDED_BYTES_MAX
  }

  /**
   * Whole frames with their heads, made once for many sockets, in one write: to make a frame again for
   * each socket costs as much as to send it. Only while the outbox is clear, so that they stand in no
   * other frame.
   */
  sendEncoded(bytes: Buffer): void {
    if (!this.#isOpen || this.#closing !== undefined) return
    if (this.unsentBytes === 0) this.#stuckSinceMs = this.#clock.monotonicMs()
    this.#connection.write(bytes, this.#taken)
    this.#weigh()
  }

  sendText(text: string): void {
    this.send([Buffer.from(text)])
  }

  /**
   * Resolves at once when there is room, else when half of what may wait has been taken. Rejects with the
   * signal's reason.
   */
  async room(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (!this.isWritable) await this.#room.wait(signal)
  }

  /** For how long the client has taken nothing, though something waits. */
  stuckMs(): number {
    return this.unsentBytes === 0 ? 0 : this.#clock.monotonicMs() - this.#stuckSinceMs
  }

  /** Closes the socket when everything has been sent. */
  closeAfterAll(code: number, reason: string): void {
    this.#closing ??= { code, reason }
    this.#handOn()
  }

  /** To be called when the socket is closed: nothing waits any more. */
  forget(): void {
    this.#pieces = []
    this.#piecesBytes = 0
    this.#reservation.close()
  }

  /** Closes the socket without what waits. */
  closeNow(code: number, reason: string): void {
    this.#pieces = []
    this.#piecesBytes = 0
    this.#socket.close(code, reason)
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }

  #weigh(): void {
    const { unsentBytes } = this
    this.#reservation.set(unsentBytes < COUNTED_BYTES_MIN ? 0 : unsentBytes)
  }

  #handOn(): void {
    let handed = 0
    while (handed < this.#pieces.length && this.#socket.bufferedAmount < HANDED_BYTES_MAX) {
      const { bytes, isLast } = this.#pieces[handed] as Piece
      handed += 1
      this.#piecesBytes -= bytes.length
      this.#socket.send(bytes, { binary: false, compress: false, fin: isLast }, this.#taken)
    }
    this.#pieces.splice(0, handed)
    if (this.#closing === undefined || this.#pieces.length > 0 || !this.#isOpen) return
    this.#socket.close(this.#closing.code, this.#closing.reason)
  }

  readonly #taken = (): void => {
    if (!this.#isOpen) return
    this.#stuckSinceMs = this.#clock.monotonicMs()
    if (this.#pieces.length > 0) this.#handOn()
    this.#weigh()
    this.#room.taken()
  }
}
