// SPDX-License-Identifier: Apache-2.0
import { Buffer } from 'node:buffer'
import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type ConnectionRead, readOf } from './connection-reads.ts'

/**
 * To hold a chunk costs some hundred bytes, however short it is, so short ones are joined to pieces of this many
 * bytes.
 */
const PIECE_BYTES = 16 * 1024
/** What is longer is held as it came. */
const SHORT_BYTES_MAX = PIECE_BYTES / 2

/** Bytes that are read of a body that is not wanted, so that its connection can serve other requests. */
const DROPPED_BYTES_MAX = 1024 * 1024
/** For so long a client may read why its body is not wanted, before its connection ends. */
const LINGER_MS = 1_000

/** How a body is read that may be long. */
export type BodyPace = {
  /** Of a longer body the rest is not read. */
  readonly bytesMax: number
  /**
   * Asked when the last byte has come: the end is told when the promise has resolved, or at once. It rejects where the
   * client has left meanwhile.
   */
  beforeEnd(): Promise<void> | undefined
}

/** Node's own, which types do not know. */
const { _dump: dump } = IncomingMessage.prototype as unknown as {
  _dump(this: IncomingMessage): void
}

/**
 * A request whose body can be had as a whole, in the turn in which its last byte has come. To hand it over as the
 * stream that it is otherwise takes Node as long as all that a SET does to its row.
 */
export class WholeRequest extends IncomingMessage {
  /** When its head was there, by the clock that never goes back. */
  readonly arrivedMs = performance.now()
  #read: ((body: Buffer) => void) | undefined
  #chunks: Buffer[] = []
  /** So many bytes of the only chunk are there. */
  #kept = 0
  /** Short chunks, one after the other, and how much of it they fill. */
  #piece: Buffer | undefined
  #filled = 0
  #pace: BodyPace | undefined
  #bytes = 0
  #bytesMax = Number.POSITIVE_INFINITY
  readonly #connection: ConnectionRead | undefined
  #isDropped = false
  #isGivenUp = false
  #hasEnded = false

  constructor(socket: Socket) {
    super(socket)
    this.#connection = readOf(socket)
    this.#connection?.tookRequest()
  }

  /**
   * Instead of reading the stream, before anybody has: `read` is called once, or never where the body does not come to
   * its end.
   */
  readWhole(read: (body: Buffer) => void): void {
    // Of a request that had to wait for the one before it.
    while (this.readableLength > 0) this.#keep(this.read())
    this.#read = read
    if (this.#hasEnded) this.#take(null)
    // From now on the stream counts as one that is being read, so that Node does not empty it.
    else this._read(0)
  }

  /** A body that was read whole is there again, as a stream. */
  giveBack(body: Buffer): void {
    this.#read = undefined
    super.push(body)
    super.push(null)
  }

  /** To be called before any of the body is read. */
  readAt(pace: BodyPace): void {
    this.#pace = pace
    this.#bytesMax = pace.bytesMax
    if (this.#connection === undefined || this.complete) return
    this.#connection.readBody = () => this.#readOn()
  }

  /** Whether its connection ends when it is refused now, because the rest of its body is not going to be read. */
  get isTooMuchLeft(): boolean {
    if (this.#bytes > this.#bytesMax) return true
    return Number(this.headers['content-length']) - this.#bytes > DROPPED_BYTES_MAX
  }

  /** Called by the parser of requests, at the end with null. When it returns false, the parser stops reading. */
  override push(chunk: Buffer | null): boolean {
    if (chunk === null) {
      if (this.#connection !== undefined) this.#connection.readBody = undefined
      if (this.#pace !== undefined) this.#endInTime(this.#pace)
      else if (this.#piece !== undefined) this.#end()
      else this.#take(null)
      return true
    }
    this.#bytes += chunk.length
    this.#connection?.tookChunk(chunk.length, this.#pace !== undefined)
    // Most bodies come as one chunk, and all of them is asked for.
    if (this.#read !== undefined && chunk.length === Number(this.headers['content-length'])) {
      this.#chunks.push(chunk)
      return true
    }
    const wantsMore = this.#isDropped || this.#join(chunk)
    if (this.#bytes > this.#bytesMax) this.#giveUp()
    return wantsMore && this.#mayRead
  }

  /** A reader that wants more has to wait as well. */
  override _read(size: number): void {
    if (this.#mayRead) super._read(size)
  }

  /** Unless the reader of the body has enough for now. */
  #readOn(): void {
    if (this.readableLength < this.readableHighWaterMark) this._read(0)
  }

  get #mayRead(): boolean {
    return !this.#isGivenUp && this.#connection?.isHeld !== true
  }

  /**
   * Called by Node when the answer is out and the body was not read: all of it would be read,
   * and without a pause.
   */
  _dump(): void {
    if (this.complete) {
      dump.call(this)
      return
    }
    const isTooMuch = this.isTooMuchLeft
    this.#isDropped = true
    this.#bytesMax = this.#bytes + DROPPED_BYTES_MAX
    if (isTooMuch) this.#giveUp()
    else this.resume()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#chunks = []
    this.#piece = undefined
    super._destroy(error, done)
  }

  /** Ends the connection: at once for what is sent, and in a while for what comes. */
  #giveUp(): void {
    if (this.#isGivenUp) return
    this.#isGivenUp = true
    // The reader of the body is to see that it is too long.
    this.#handOnPiece()
    const { socket } = this
    // Node calls it when the answer is out. Its own resets the connection, because not all was read, and the answer may
    // be lost by that.
    socket.destroySoon = () => socket.end()
    if (this.#isDropped) socket.end()
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  }

  #endInTime(pace: BodyPace): void {
    const waiting = this.#isDropped ? undefined : pace.beforeEnd()
    if (waiting === undefined) this.#end()
    else
      waiting.then(
        () => this.#end(),
        () => undefined,
      )
  }

  #end(): void {
    this.#handOnPiece()
    this.#take(null)
  }

  /** The first chunk is the only one of most bodies. */
  #join(chunk: Buffer): boolean {
    if (chunk.length > SHORT_BYTES_MAX || chunk.length === this.#bytes) {
      if (this.#piece !== undefined) this.#handOnPiece()
      return this.#take(chunk)
    }
    const wantsMore = this.#filled + chunk.length <= PIECE_BYTES || this.#handOnPiece()
    this.#piece ??= Buffer.allocUnsafeSlow(PIECE_BYTES)
    this.#filled += chunk.copy(this.#piece, this.#filled)
    return wantsMore
  }

  #handOnPiece(): boolean {
    const piece = this.#piece?.subarray(0, this.#filled)
    this.#piece = undefined
    this.#filled = 0
    return piece === undefined || this.#take(piece)
  }

  #take(chunk: Buffer | null): boolean {
    const read = this.#read
    if (chunk === null) this.#hasEnded = true
    if (read === undefined) return super.push(chunk)
    if (chunk !== null) {
      this.#keep(chunk)
      return true
    }
    const chunks = this.#chunks
    this.#chunks = []
    read(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
    return true
  }

  /** Of a body whose length is known each chunk is copied to its place, so that it is never in memory twice. */
  #keep(chunk: Buffer): void {
    const length = Number(this.headers['content-length'])
    if (!(chunk.length < length)) {
      this.#chunks.push(chunk)
      return
    }
    this.#chunks[0] ??= Buffer.allocUnsafeSlow(length)
    this.#kept += chunk.copy(this.#chunks[0], this.#kept)
  }
}
