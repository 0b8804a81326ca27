// SPDX-License-Identifier: Apache-2.0
import { canonicalJson } from './canonical-json.ts'
import { type Meter, walkPaid, wholeSpan } from './json-path.ts'
import type { JsonVisitor } from './json-walk.ts'

/** What a character costs that becomes part of a member. */
const MEMBER_UNITS = 20

/**
 * What an array has of texts, numbers, booleans and nulls, the names of an object, or the value itself where it is
 * neither: each once, as canonical JSON. The members that `?` asks for are the texts among them.
 *
 *     ["a", "b", "a", 1.0, ["c"]]   ->   "a"  "b"  1e0
 */
export function jsonMembers(text: string, meter: Meter): ReadonlySet<string> {
  const collector = new MemberCollector(text)
  walkPaid(text, wholeSpan(text), collector, meter, MEMBER_UNITS)
  return collector.members
}

class MemberCollector implements JsonVisitor {
  readonly #text: string
  readonly isDone = false
  readonly members = new Set<string>()
  #depth = 0
  #isObject = false

  constructor(text: string) {
    this.#text = text
  }

  open(kind: '{' | '['): void {
    if (this.#depth === 0) this.#isObject = kind === '{'
    this.#depth += 1
  }

  close(): void {
    this.#depth -= 1
  }

  name(from: number, to: number): void {
    if (this.#depth === 1) this.#add(from, to)
  }

  scalar(from: number, to: number): void {
    if (this.#depth === 0 || (this.#depth === 1 && !this.#isObject)) this.#add(from, to)
  }

  #add(from: number, to: number): void {
    this.members.add(canonicalJson(this.#text.slice(from, to)))
  }
}
