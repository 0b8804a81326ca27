// SPDX-License-Identifier: Apache-2.0
import {
  hasLongExponent,
  JSON_EXPONENT_DIGITS_MAX,
  type JsonVisitor,
  type JsonWalk,
  walkJson,
  walkJsonUntil,
} from '../../storage/values/values.ts'
import { limitExceeded, PlanError } from '../plan-error.ts'
import { PLANNER_LIMITS } from '../planner-limits.ts'
import { JsonPointer } from './json-pointer.ts'

/**
 * The JSON value that begins at `from` as it is stored: without blanks between its parts, texts as
 * `JSON.stringify` writes them, numbers digit by digit as they were written, names in their order.
 * `text` must be one that `JSON.parse` accepts; `pointer` is where the value stands in what was sent.
 *
 * Throws PlanError `type_mismatch` for a name that stands twice in one object and for a text that is
 * not well-formed Unicode, `out_of_range` for an exponent of too many digits, `limit_exceeded` for
 * what nests too deeply; each names the place as a JSON pointer.
 */
export function exactJson(
  text: string,
  { from = 0, pointer = '', nestingMax = PLANNER_LIMITS.jsonNestingMax }: ExactJsonOptions = {},
): string {
  const writer = new ExactWriter(text, { pointer, nestingMax, stringMax: text.length })
  walkJson(text, from, writer)
  return writer.text
}

/** A part of a JSON text, or a string in it that is so long that it is to be written in parts itself. */
export type JsonPiece = string | { readonly string: string }

/**
 * The same in pieces, each of them made of about `pieceCharacters` of the text, however deeply it nests. What
 * `exactJson` throws is thrown between them.
 */
export function* exactJsonPieces(
  text: string,
  { from, pointer, pieceCharacters }: ExactPiecesOptions,
): Generator<JsonPiece, void, undefined> {
  const nestingMax = Number.POSITIVE_INFINITY
  const writer = new ExactWriter(text, { pointer, nestingMax, stringMax: pieceCharacters })
  const walk: JsonWalk = { at: from, depth: 0 }
  for (let isWhole = false; !isWhole; ) {
    isWhole = walkJsonUntil(text, walk, writer, walk.at + pieceCharacters)
    yield* writer.take()
  }
}

type ExactPiecesOptions = {
  readonly from: number
  readonly pointer: string
  readonly pieceCharacters: number
}

type ExactJsonOptions = {
  readonly from?: number
  readonly pointer?: string
  readonly nestingMax?: number
}

class ExactWriter implements JsonVisitor {
  readonly #source: string
  readonly #position: JsonPointer
  readonly #nestingMax: number
  /** Characters of a string beyond which it is a piece. */
  readonly #stringMax: number
  readonly #pieces: JsonPiece[] = []
  /** The names of each object that has begun; undefined for an array. */
  readonly #names: Array<Set<string> | undefined> = []
  #separator = ''
  text = ''

  constructor(source: string, { pointer, nestingMax, stringMax }: ExactWriterOptions) {
    this.#source = source
    this.#nestingMax = nestingMax
    this.#stringMax = stringMax
    this.#position = new JsonPointer(pointer)
  }

  /** Returns what has been written, and forgets it. */
  take(): JsonPiece[] {
    const pieces = [...this.#pieces.splice(0), this.text]
    this.text = ''
    return pieces
  }

  open(kind: '{' | '['): void {
    this.#position.beforeValue()
    if (this.#names.length >= this.#nestingMax) throw nestsTooDeep()
    this.#names.push(kind === '{' ? new Set() : undefined)
    this.#position.open(kind)
    this.text += this.#separator + kind
    this.#separator = ''
  }

  close(kind: '{' | '['): void {
    this.#names.pop()
    this.#position.close()
    this.text += kind === '{' ? '}' : ']'
    this.#separator = ','
  }

  name(from: number, to: number): void {
    this.text += this.#separator
    const name = this.#string(from, to)
    const names = this.#names.at(-1) as Set<string>
    this.#position.name(name)
    if (names.has(name)) throw duplicateName(this.#position)
    names.add(name)
    this.text += ':'
    this.#separator = ''
  }

  scalar(from: number, to: number): void {
    this.#position.beforeValue()
    this.text += this.#separator
    this.#separator = ','
    if (this.#source.charCodeAt(from) === QUOTE) {
      this.#string(from, to)
      return
    }
    const text = this.#source.slice(from, to)
    if (hasLongExponent(text)) {
      throw new PlanError(
        'out_of_range',
        `A number in the JSON has an exponent of more than ${JSON_EXPONENT_DIGITS_MAX} digits, ${this.#position}.`,
      )
    }
    this.text += text
  }

  /** Writes the string that stands there, and returns what it says. */
  #string(from: number, to: number): string {
    const raw = this.#source.slice(from, to)
    // Only an escape can be written in another way.
    const isPlain = !raw.includes('\\')
    const string = isPlain ? raw.slice(1, -1) : (JSON.parse(raw) as string)
    if (!string.isWellFormed()) {
      throw new PlanError(
        'type_mismatch',
        `A string in the JSON is not well-formed Unicode, ${this.#position}.`,
      )
    }
    if (to - from > this.#stringMax) {
      this.#pieces.push(this.text, { string })
      this.text = ''
    } else {
      this.text += isPlain ? raw : JSON.stringify(string)
    }
    return string
  }
}

type ExactWriterOptions = {
  readonly pointer: string
  readonly nestingMax: number
  readonly stringMax: number
}

const QUOTE = 0x22

export function duplicateName(position: JsonPointer): PlanError {
  return new PlanError(
    'type_mismatch',
    `A name stands twice in one object of the JSON, ${position}.`,
    { fields: { pointer: position.pointer }, hint: 'Each name of a JSON object stands once.' },
  )
}

export function nestsTooDeep(): PlanError {
  const max = PLANNER_LIMITS.jsonNestingMax
  const message = `The JSON nests deeper than ${max} arrays and objects.`
  return limitExceeded('jsonNestingMax', max + 1, message)
}
