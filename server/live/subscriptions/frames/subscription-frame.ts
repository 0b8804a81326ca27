// SPDX-License-Identifier: Apache-2.0

/** Beyond this many bytes a frame is sent in parts, so that all subscribers share the long one. */
const WHOLE_BYTES_MAX = 16 * 1024

/**
 * A frame about a subscription, without what tells one subscriber from another: the `id` stands at its
 * beginning, and everything after it is made once, however many there are.
 *
 *     {"type":"change","id":"7"   ,"commitTimestamp":12,"changes":[…],"last":true}
 *     the head, one for each id   the rest, one for all
 */
export class SubscriptionFrame {
  readonly #type: string
  readonly #rest: Buffer
  /** For the id asked last: clients number what they ask for alike, so a thousand often have one. */
  #whole: { readonly id: string | undefined; readonly bytes: Buffer } | undefined

  /** `rest` begins with a comma or the closing brace. */
  constructor(type: string, rest: string) {
    this.#type = type
    this.#rest = Buffer.from(rest)
  }

  /** About how many it takes for each subscriber. */
  get bytes(): number {
    return this.#rest.length
  }

  static of(type: string, fields: Readonly<Record<string, unknown>>): SubscriptionFrame {
    const text = JSON.stringify(fields)
    return new SubscriptionFrame(type, text === '{}' ? '}' : `,${text.slice(1)}`)
  }

  /** The bytes of the frame in one or two parts; without an id it has none. */
  parts(id?: string): readonly Buffer[] {
    if (this.#rest.length > WHOLE_BYTES_MAX) return [Buffer.from(this.#head(id)), this.#rest]
    if (this.#whole === undefined || this.#whole.id !== id) {
      this.#whole = { id, bytes: Buffer.concat([Buffer.from(this.#head(id)), this.#rest]) }
    }
    return [this.#whole.bytes]
  }

  #head(id: string | undefined): string {
    const named = id === undefined ? '' : `,"id":${JSON.stringify(id)}`
    return `{"type":"${this.#type}"${named}`
  }
}
