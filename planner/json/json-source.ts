// SPDX-License-Identifier: Apache-2.0
import { type JsonVisitor, shapeOfJson, walkJson } from '../../storage/values/values.ts'
import { PLANNER_LIMITS } from '../planner-limits.ts'
import { copiedJson, isPlainText } from './copied-json.ts'
import { duplicateName, exactJson, exactJsonPieces, type JsonPiece } from './exact-json.ts'
import { escapedStep, JsonPointer } from './json-pointer.ts'

/**
 * The text that a parsed JSON value was read from. `JSON.parse` rounds numbers and drops members; where
 * that matters (a value for a JSON column, a number for an INTEGER) the text is asked. It is looked
 * through only then, and each level only once, so that other requests pay for nothing.
 */
export class JsonSource {
  readonly #whole: Whole
  readonly #parent: JsonSource | undefined
  readonly #step: string | number
  #members: ReadonlyMap<string | number, number> | undefined

  private constructor(whole: Whole, parent: JsonSource | undefined, step: string | number) {
    this.#whole = whole
    this.#parent = parent
    this.#step = step
  }

  /** `text` must be one that `JSON.parse` accepts; `nameCount` as below, where it is known. */
  static of(text: string, nameCount?: number): JsonSource {
    const whole = { text, mayRound: undefined, isPlain: undefined, nameCount }
    return new JsonSource(whole, undefined, '')
  }

  /** The source of a member, or of an element. Nothing is looked through yet. */
  member(step: string | number): JsonSource {
    return new JsonSource(this.#whole, this, step)
  }

  /** Characters of the whole text. */
  get length(): number {
    return this.#whole.text.length
  }

  /**
   * Whether anything in the whole text may have been rounded: more than 15 digits, an exponent or a
   * minus zero. Any other number is exactly what `JSON.parse` made of it.
   */
  get mayRound(): boolean {
    this.#whole.mayRound ??= mayRound(this.#whole.text)
    return this.#whole.mayRound
  }

  /** How many names the whole text has: more than the parsed value where one stands twice in an object. */
  get nameCount(): number {
    this.#whole.nameCount ??= shapeOfJson(this.#whole.text).names
    return this.#whole.nameCount
  }

  /** Throws PlanError where a name stands twice in this object. */
  requireNamesOnce(): void {
    this.#members ??= membersAt(this.#whole.text, this.#from(), this.#pointer)
  }

  /** Finds out `mayRound`, and yields after each part of a few thousand characters. */
  *lookForRounding(partCharacters: number): Generator<'', void, undefined> {
    const whole = this.#whole
    for (let at = 0; whole.mayRound === undefined; at += partCharacters) {
      const end = at + partCharacters
      // What is looked for may begin in this part and end in the next one.
      if (MAY_ROUND.test(whole.text.slice(at, end + ROUNDED_CHARACTERS))) whole.mayRound = true
      else if (end >= whole.text.length) whole.mayRound = false
      yield ''
    }
  }

  /**
   * The value as `exactJson` writes it; `parsed` is what it was parsed to, where that is an array or object. Throws
   * PlanError as that does, and for names that stand twice on the way to it.
   */
  exact(parsed?: object): string {
    return this.#exact(parsed, PLANNER_LIMITS.jsonNestingMax)
  }

  /** The same of what need not fit a JSON column. */
  distinct(parsed: object): string {
    return this.#exact(parsed, Number.POSITIVE_INFINITY)
  }

  /** What `distinct` returns, in pieces of about `pieceCharacters` characters. Throws between them. */
  distinctPieces(pieceCharacters: number): Iterable<JsonPiece> {
    const from = this.#from()
    return exactJsonPieces(this.#whole.text, { from, pointer: this.#pointer, pieceCharacters })
  }

  #exact(parsed: object | undefined, nestingMax: number): string {
    const { text } = this.#whole
    const from = this.#from()
    if (parsed !== undefined) {
      this.#whole.isPlain ??= isPlainText(text)
      const { isPlain } = this.#whole
      const copied = copiedJson(text, { from, nestingMax, parsed, isPlain })
      if (copied !== undefined) return copied
    }
    return exactJson(text, { from, pointer: this.#pointer, nestingMax })
  }

  #from(): number {
    return this.#parent === undefined ? 0 : this.#parent.#fromOf(this.#step)
  }

  #fromOf(step: string | number): number {
    this.requireNamesOnce()
    const from = this.#members?.get(step)
    if (from === undefined) throw new TypeError(`The JSON has no ${this.#pointer}/${step}.`)
    return from
  }

  get #pointer(): string {
    if (this.#parent === undefined) return ''
    return `${this.#parent.#pointer}/${escapedStep(String(this.#step))}`
  }
}

type Whole = {
  readonly text: string
  mayRound: boolean | undefined
  isPlain: boolean | undefined
  nameCount: number | undefined
}

/** As `JsonSource.mayRound`, of a short text. */
export function mayRound(text: string): boolean {
  return MAY_ROUND.test(text)
}

/** Digits are counted from the first one only: from each one it would take several times as long. */
const MAY_ROUND = /(?<!\d)\d[\d.]{15}|\d[eE]|-0/
/** The longest that it matches. */
const ROUNDED_CHARACTERS = 16

/** Where the value of each member, or each element, begins. */
function membersAt(text: string, from: number, pointer: string): Map<string | number, number> {
  const members = new Members(text, pointer)
  walkJson(text, from, members)
  return members.found
}

class Members implements JsonVisitor {
  readonly #text: string
  readonly #pointer: string
  readonly found = new Map<string | number, number>()
  #depth = 0
  #step: string | number = -1

  constructor(text: string, pointer: string) {
    this.#text = text
    this.#pointer = pointer
  }

  open(kind: '{' | '[', from: number): void {
    if (this.#depth === 0) this.#step = kind === '{' ? '' : -1
    else this.#begin(from)
    this.#depth += 1
  }

  close(): void {
    this.#depth -= 1
  }

  name(from: number, to: number): void {
    if (this.#depth !== 1) return
    this.#step = JSON.parse(this.#text.slice(from, to)) as string
    if (!this.found.has(this.#step)) return
    throw duplicateName(new JsonPointer(`${this.#pointer}/${escapedStep(this.#step)}`))
  }

  scalar(from: number): void {
    this.#begin(from)
  }

  #begin(from: number): void {
    if (this.#depth !== 1) return
    if (typeof this.#step === 'number') this.#step += 1
    this.found.set(this.#step, from)
  }
}

const SOURCE: unique symbol = Symbol('source')

/**
 * Notes with a parsed object or array where it came from. It stands in a property that is no part of
 * the JSON, and that copies of the object take along.
 */
export function noteSource<T extends object>(value: T, source: JsonSource): T {
  ;(value as Sourced)[SOURCE] = source
  return value
}

/** Undefined for a value that no text was read for, such as one of this process. */
export function sourceOf(value: unknown): JsonSource | undefined {
  return (value as Sourced)[SOURCE]
}

type Sourced = { [SOURCE]?: JsonSource }

/**
 * Lets go of the whole text of a body for a value that is kept longer than its request: its source is its
 * own text from now on, without blanks. Throws PlanError for a name that stands twice in an object.
 */
export function keepOwnSource(value: object): void {
  const source = sourceOf(value)
  if (source !== undefined) noteSource(value, JsonSource.of(source.distinct(value)))
}

/** A text that is the same for the same JSON and differs where any digit does. */
export function distinctText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const source = sourceOf(value)
  return source?.mayRound === true ? source.distinct(value) : JSON.stringify(value)
}
