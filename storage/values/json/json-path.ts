// SPDX-License-Identifier: Apache-2.0
import { type JsonVisitor, type JsonWalk, walkJsonUntil } from './json-walk.ts'

/** Whoever pays for the characters that are looked at. */
export type Meter = { spend(units: number): void }

/** For work that is bounded by something else, such as the bytes of a row that is written. */
export const UNPAID: Meter = { spend: () => {} }

/** A part of a JSON text: one value, from its first character to the one after its last. */
export type JsonSpan = { readonly from: number; readonly to: number }

/** One step: the name of a member, the number of an element (below zero from the end), or whichever of them fits. */
export type JsonStep = { readonly name?: string; readonly index?: number }

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null'

/** What a character costs that is walked over. */
export const WALK_UNITS = 10
/** Characters between two payments. */
const SLICE = 64 * 1024

/**
 * What `->>` and `#>>` say of a JSON text, in expressions and in the entries of an index: the text of the string that
 * the steps lead to, any other value as it is written; null where they lead nowhere or to null.
 */
export function textAt(text: string, steps: readonly JsonStep[], meter: Meter): string | null {
  const span = spanAt(text, steps, meter)
  if (span === undefined) return null
  meter.spend(span.to - span.from)
  return plainText(text, span) ?? null
}

/** The text between the quotes of a string, any other value as it is written; undefined for null. */
export function plainText(text: string, { from, to }: JsonSpan): string | undefined {
  const value = text.slice(from, to)
  const kind = kindAt(value, 0)
  if (kind === 'null') return undefined
  return kind === 'string' ? (JSON.parse(value) as string) : value
}

/** The steps as they are written after a column, to TEXT or to JSON: `->'address'->>'city'`, `->'tags'`. */
export function pathText(steps: readonly JsonStep[], last: '>>' | '>' = '>>'): string {
  return steps
    .map(({ name, index }, position) => {
      const end = position === steps.length - 1 ? last : '>'
      if (name === undefined) return `-${end}${index}`
      const isEither = index !== undefined
      const text = (isEither ? `{${name}}` : name).replaceAll("'", "''")
      return `${isEither ? '#' : '-'}${end}'${text}'`
    })
    .join('')
}

/** The whole text, without the blanks around it. */
export function wholeSpan(text: string): JsonSpan {
  const from = text.length - text.trimStart().length
  return { from, to: text.trimEnd().length }
}

export function kindAt(text: string, from: number): JsonKind {
  const first = text.charAt(from)
  return KINDS.get(first) ?? 'number'
}

const KINDS: ReadonlyMap<string, JsonKind> = new Map([
  ...([
    ['{', 'object'],
    ['[', 'array'],
    ['"', 'string'],
  ] as const),
  ...([
    ['t', 'boolean'],
    ['f', 'boolean'],
    ['n', 'null'],
  ] as const),
])

/** The value that the steps lead to, each from where the one before it ended; undefined where one leads nowhere. */
export function spanAt(
  text: string,
  steps: readonly JsonStep[],
  meter: Meter,
): JsonSpan | undefined {
  let span: JsonSpan | undefined = wholeSpan(text)
  for (const step of steps) {
    if (span === undefined) return undefined
    span = memberAt(text, span, step, meter)
  }
  return span
}

export type MemberSpan = JsonSpan & {
  /** Where its name begins, or the value itself in an array. */
  readonly memberFrom: number
}

/** The member or element of one object or array. */
export function memberAt(
  text: string,
  span: JsonSpan,
  step: JsonStep,
  meter: Meter,
): MemberSpan | undefined {
  const kind = kindAt(text, span.from)
  if (kind === 'object') {
    if (step.name === undefined) return undefined
    return find(text, span, new MemberFinder(text, step.name), meter)
  }
  if (kind !== 'array' || step.index === undefined) return undefined
  const index = step.index < 0 ? step.index + countAt(text, span, meter) : step.index
  return index < 0 ? undefined : find(text, span, new MemberFinder(text, index), meter)
}

function find(
  text: string,
  span: JsonSpan,
  finder: MemberFinder,
  meter: Meter,
): MemberSpan | undefined {
  walkPaid(text, span, finder, meter)
  return finder.found
}

/** Members of an object, elements of an array; 0 of another value. */
export function countAt(text: string, span: JsonSpan, meter: Meter): number {
  const counter = new Counter()
  walkPaid(text, span, counter, meter)
  return counter.count
}

/** How many arrays and objects are open at once in the value. */
export function nestingAt(text: string, span: JsonSpan, meter: Meter): number {
  const counter = new Counter()
  walkPaid(text, span, counter, meter)
  return counter.deepest
}

/** Walks until the value or the visitor has ended; `units` are what a character costs. */
export function walkPaid(
  text: string,
  span: JsonSpan,
  visitor: JsonVisitor & { readonly isDone: boolean },
  meter: Meter,
  units = WALK_UNITS,
): void {
  const walk: JsonWalk = { at: span.from, depth: 0 }
  for (let isWhole = false; !isWhole && !visitor.isDone; ) {
    const end = Math.min(span.to, walk.at + SLICE)
    meter.spend(units * (end - walk.at))
    isWhole = walkJsonUntil(text, walk, visitor, end)
    // A long string is one part, and may reach beyond.
    if (walk.at > end) meter.spend(walk.at - end)
  }
}

class MemberFinder implements JsonVisitor {
  readonly #text: string
  readonly #wanted: string | number
  readonly #quoted: string
  #depth = 0
  #index = -1
  #isNamed = false
  #memberFrom = 0
  #from = -1
  found: MemberSpan | undefined
  isDone = false

  constructor(text: string, wanted: string | number) {
    this.#text = text
    this.#wanted = wanted
    this.#quoted = typeof wanted === 'string' ? JSON.stringify(wanted) : ''
  }

  open(_kind: '{' | '[', from: number): void {
    if (this.#depth === 1) this.#begin(from)
    this.#depth += 1
  }

  close(_kind: '{' | '[', to: number): void {
    this.#depth -= 1
    if (this.#depth === 1) this.#end(to)
  }

  name(from: number, to: number): void {
    if (this.#depth !== 1) return
    this.#memberFrom = from
    this.#isNamed = this.#isWanted(from, to)
  }

  scalar(from: number, to: number): void {
    if (this.#depth !== 1) return
    this.#begin(from)
    this.#end(to)
  }

  #isWanted(from: number, to: number): boolean {
    if (to - from === this.#quoted.length && this.#text.startsWith(this.#quoted, from)) return true
    // A name can be written with more escapes than it needs.
    const raw = this.#text.slice(from, to)
    return raw.includes('\\') && JSON.parse(raw) === this.#wanted
  }

  #begin(from: number): void {
    this.#index += 1
    const isWanted = typeof this.#wanted === 'string' ? this.#isNamed : this.#index === this.#wanted
    if (!isWanted || this.isDone) return
    this.#from = from
    if (typeof this.#wanted === 'number') this.#memberFrom = from
  }

  #end(to: number): void {
    if (this.#from < 0 || this.isDone) return
    this.found = { from: this.#from, to, memberFrom: this.#memberFrom }
    this.isDone = true
  }
}

class Counter implements JsonVisitor {
  readonly isDone = false
  #depth = 0
  count = 0
  deepest = 0

  open(): void {
    if (this.#depth === 1) this.count += 1
    this.#depth += 1
    this.deepest = Math.max(this.deepest, this.#depth)
  }

  close(): void {
    this.#depth -= 1
  }

  name(): void {}

  scalar(): void {
    if (this.#depth === 1) this.count += 1
  }
}

const ELEMENT = /(?:\s*"((?:[^"\\]|\\[\s\S])*)"\s*|([^",{}\\]+))([,}])/y

/** `{a,"b c",0}` as steps; undefined for a text that is no path, or one of more steps. Time is linear in the text. */
export function stepsOf(path: string, stepsMax: number): readonly JsonStep[] | undefined {
  const text = path.trim()
  if (!text.startsWith('{')) return undefined
  if (/^\{\s*\}$/.test(text)) return []
  const steps: JsonStep[] = []
  ELEMENT.lastIndex = 1
  for (;;) {
    const match = ELEMENT.exec(text)
    if (match === null) return undefined
    const [, quoted, plain = '', mark] = match
    const name = quoted === undefined ? plain.trim() : quoted.replaceAll(/\\([\s\S])/g, '$1')
    if (name === '' && quoted === undefined) return undefined
    if (steps.length === stepsMax) return undefined
    const isIndex = quoted === undefined && /^-?\d{1,9}$/.test(name)
    steps.push(isIndex ? { name, index: Number(name) } : { name })
    if (mark === '}') return ELEMENT.lastIndex === text.length ? steps : undefined
  }
}
