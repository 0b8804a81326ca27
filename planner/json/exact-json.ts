// SPDX-License-Identifier: Apache-2.0
import {
  hasLongExponent,
  JSON_EXPONENT_DIGITS_MAX,
  type JsonVisitor,
  walkJson,
} from '../../storage/storage.ts'
import { PlanError } from '../plan-error.ts'
import { PLANNER_LIMITS } from '../planner-limits.ts'
import { JsonPlace } from './json-place.ts'

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
  const writer = new ExactWriter(text, pointer, nestingMax)
  walkJson(text, from, writer)
  return writer.text
}

type ExactJsonOptions = {
  readonly from?: number
  readonly pointer?: string
  readonly nestingMax?: number
}

class ExactWriter implements JsonVisitor {
  readonly #source: string
  readonly #place: JsonPlace
  readonly #nestingMax: number
  /** The names of each object that has begun; undefined for an array. */
  readonly #names: Array<Set<string> | undefined> = []
  #separator = ''
  text = ''

  constructor(source: string, pointer: string, nestingMax: number) {
    this.#source = source
    this.#nestingMax = nestingMax
    this.#place = new JsonPlace(pointer)
  }

  open(kind: '{' | '['): void {
    this.#place.beforeValue()
    const max = this.#nestingMax
    if (this.#names.length >= max) {
      throw new PlanError(
        'limit_exceeded',
        `The JSON nests deeper than ${max} arrays and objects.`,
        { fields: { limit: 'jsonNestingMax', limitValue: max, actual: max + 1 } },
      )
    }
    this.#names.push(kind === '{' ? new Set() : undefined)
    this.#place.open(kind)
    this.text += this.#separator + kind
    this.#separator = ''
  }

  close(kind: '{' | '['): void {
    this.#names.pop()
    this.#place.close()
    this.text += kind === '{' ? '}' : ']'
    this.#separator = ','
  }

  name(from: number, to: number): void {
    const text = this.#stringText(from, to)
    const name = text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1)
    const names = this.#names.at(-1) as Set<string>
    this.#place.name(name)
    if (names.has(name)) throw duplicateName(this.#place)
    names.add(name)
    this.text += `${this.#separator}${text}:`
    this.#separator = ''
  }

  scalar(from: number, to: number): void {
    this.#place.beforeValue()
    const first = this.#source.charCodeAt(from)
    const text = first === QUOTE ? this.#stringText(from, to) : this.#source.slice(from, to)
    if (first !== QUOTE && hasLongExponent(text)) {
      throw new PlanError(
        'out_of_range',
        `A number in the JSON has an exponent of more than ${JSON_EXPONENT_DIGITS_MAX} digits, ${this.#place}.`,
      )
    }
    this.text += this.#separator + text
    this.#separator = ','
  }

  #stringText(from: number, to: number): string {
    const raw = this.#source.slice(from, to)
    // Only an escape can be written in another way, or hide a lone surrogate.
    const isPlain = !raw.includes('\\')
    const text = isPlain ? raw : JSON.stringify(JSON.parse(raw))
    if (raw.isWellFormed() && (isPlain || !text.includes('\\ud'))) return text
    if ((JSON.parse(raw) as string).isWellFormed()) return text
    throw new PlanError(
      'type_mismatch',
      `A string in the JSON is not well-formed Unicode, ${this.#place}.`,
    )
  }
}

const QUOTE = 0x22

export function duplicateName(place: JsonPlace): PlanError {
  return new PlanError(
    'type_mismatch',
    `A name stands twice in one object of the JSON, ${place}.`,
    { fields: { pointer: place.pointer }, hint: 'Each name of a JSON object stands once.' },
  )
}
