// SPDX-License-Identifier: Apache-2.0
import { createHash, randomBytes } from 'node:crypto'
import { ToolError } from './tool-error.ts'

/** More than these, and the oldest does not count any more. */
const CONFIRMATIONS_MAX = 64

export type Shown = { readonly sql: string; readonly params: unknown }

/** What was shown and may be run: once, with exactly that text and those parameters, and not for long. */
export class Confirmations {
  readonly #withinMs: number
  readonly #nowMs: () => number
  readonly #given = new Map<string, { readonly digest: string; readonly untilMs: number }>()

  constructor(withinMs: number, nowMs: () => number = () => performance.now()) {
    this.#withinMs = withinMs
    this.#nowMs = nowMs
  }

  get withinMs(): number {
    return this.#withinMs
  }

  /** The word by which this may be run. */
  give(shown: Shown): string {
    const word = randomBytes(16).toString('base64url')
    const [oldest] = this.#given.keys()
    if (oldest !== undefined && this.#given.size >= CONFIRMATIONS_MAX) this.#given.delete(oldest)
    const untilMs = this.#nowMs() + this.#withinMs
    this.#given.set(word, { digest: digestOf(shown), untilMs })
    return word
  }

  /** Whatever comes of it, the word is used up. Throws `not_confirmed`. */
  use(word: string, shown: Shown): void {
    const given = this.#given.get(word)
    this.#given.delete(word)
    if (given === undefined) throw refused('unknown', 'was not given here, or has been used')
    if (this.#nowMs() > given.untilMs) throw refused('expired', 'is too old')
    if (given.digest !== digestOf(shown)) {
      throw refused('otherText', 'is of another text or other parameters')
    }
  }
}

function refused(reason: string, words: string): ToolError {
  const hint = 'call write without confirmation: it shows what would be done, and gives a new one'
  const message = `Nothing was written: the confirmation ${words}.`
  return new ToolError('not_confirmed', message, { reason, hint })
}

/** The order of names within a value is part of it; that of the parameters is not. */
function digestOf({ sql, params }: Shown): string {
  const isNamed = typeof params === 'object' && params !== null && !Array.isArray(params)
  const values = isNamed
    ? Object.entries(params).toSorted(([one], [other]) => (one < other ? -1 : 1))
    : params
  const text = JSON.stringify([sql, isNamed, values ?? null])
  return createHash('sha256').update(text).digest('base64')
}
