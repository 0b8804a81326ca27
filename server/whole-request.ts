// SPDX-License-Identifier: Apache-2.0
import { Buffer } from 'node:buffer'
import { IncomingMessage } from 'node:http'

/** Of a body that nobody wants so many bytes are read, because its connection can then serve other requests. */
const DROPPED_BYTES_MAX = 1024 * 1024
/** For so long a client may read why its body is not wanted, before its connection ends. */
const LINGER_MS = 1_000

/** How a body is read that is not small. */
export type BodyPace = {
  /** Told of each chunk. When it returns false, nothing more is read until it calls `goOn`, in a later turn. */
  took(bytes: number, goOn: () => void): boolean
  /** Asked when the last byte has come: the end is told when the promise has resolved, or at once. */
  beforeEnd(): Promise<void> | undefined
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
  #pace: BodyPace | undefined
  #isPaused = false
  #isDropped = false
  #isGivenUp = false
  #bytes = 0

  /**
   * Instead of reading the stream, before anybody has: `read` is called once, or never where the body does not come to
   * its end.
   */
  readWhole(read: (body: Buffer) => void): void {
    this.#read = read
    // From now on the stream counts as one that is being read, so that nobody empties it.
    this._read(0)
  }

  /** To be called before any of the body is read. */
  readAt(pace: BodyPace): void {
    this.#pace = pace
  }

  /** Called by the parser of requests, at the end with null. When it returns false, the parser stops reading. */
  override push(chunk: Buffer | null): boolean {
    const pace = this.#pace
    if (pace === undefined) return this.#take(chunk)
    if (chunk === null) {
      this.#end(pace)
      return true
    }
    this.#bytes += chunk.length
    const wantsMore = this.#isDropped || this.#take(chunk)
    if (this.#isGivenUp) return false
    if (pace.took(chunk.length, () => this.#goOn())) return wantsMore
    this.#isPaused = true
    return false
  }

  /** Whoever wants more has to wait as well. */
  override _read(size: number): void {
    if (!this.#isPaused) super._read(size)
  }

  /** Node's own, for what is left of a body when its answer is out: all of it would be read, and without a pause. */
  _dump(): void {
    if (this.#isDropped) return
    this.#isDropped = true
    this.#chunks = []
    this.removeAllListeners('data')
    const left = Number(this.headers['content-length'] ?? Number.POSITIVE_INFINITY) - this.#bytes
    if (this.#pace === undefined || this.complete || left <= DROPPED_BYTES_MAX) {
      this.resume()
      return
    }
    this.#isPaused = true
    this.#isGivenUp = true
    const { socket } = this
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  }

  #goOn(): void {
    if (this.#isGivenUp) return
    this.#isPaused = false
    if (!this.destroyed) super._read(0)
  }

  #end(pace: BodyPace): void {
    const waiting = this.#isDropped ? undefined : pace.beforeEnd()
    if (waiting === undefined) {
      this.#take(null)
      return
    }
    void waiting.then(() => {
      // Its client may have left meanwhile.
      if (!this.destroyed) this.#take(null)
    })
  }

  #take(chunk: Buffer | null): boolean {
    const read = this.#read
    if (read === undefined || this.#isDropped) return super.push(chunk)
    if (chunk !== null) {
      this.#chunks.push(chunk)
      return true
    }
    const chunks = this.#chunks
    this.#chunks = []
    read(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
    return true
  }
}
