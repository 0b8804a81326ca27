// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto'
import type { NotePlace } from './script-note.ts'

/** How much of a text is done with, and its hash: all of it costs no more than to hash the text once. */
export class TextLengths {
  readonly #text: string
  readonly #hash = createHash('sha256')
  #length = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Up to here, which is not before where it was the last time, without blanks at the end. */
  upTo(length: number): Pick<NotePlace, 'length' | 'checksum'> {
    const piece = this.#text.slice(this.#length, length).trimEnd()
    this.#hash.update(piece)
    this.#length += piece.length
    return { length: this.#length, checksum: this.#hash.copy().digest('hex') }
  }
}
