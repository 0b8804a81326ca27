// SPDX-License-Identifier: Apache-2.0
import { Buffer } from 'node:buffer'
import { IncomingMessage } from 'node:http'

/**
 * A request whose body can be had as a whole, in the turn in which its last byte has come. To hand it over as the
 * stream that it is otherwise takes Node as long as all that a SET does to its row.
 */
export class WholeRequest extends IncomingMessage {
  /** When its head was there, by the clock that never goes back. */
  readonly arrivedMs = performance.now()
  #read: ((body: Buffer) => void) | undefined
  #chunks: Buffer[] = []

  /**
   * Instead of reading the stream, before anybody has: `read` is called once, or never where the body does not come to
   * its end.
   */
  readWhole(read: (body: Buffer) => void): void {
    this.#read = read
    // From now on the stream counts as one that is being read, so that nobody empties it.
    this._read(0)
  }

  /** Called by the parser of requests, at the end with null. */
  override push(chunk: Buffer | null): boolean {
    const read = this.#read
    if (read === undefined) return super.push(chunk)
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
