// SPDX-License-Identifier: Apache-2.0
import { canonicalNumber } from './json-number.ts'
import { type JsonVisitor, walkJson } from './json-walk.ts'

/**
 * One text for all writings of the same JSON document, so that documents are equal exactly when these
 * texts are: no spaces, members sorted by name, texts as `JSON.stringify` writes them, and numbers as
 * `canonicalNumber` does, digit by digit. `text` is valid JSON. The result is for comparison only, is
 * never stored, and takes time in proportion to the text (and to the sorting of its names).
 *
 *     {"b": [1.0, "x"], "a": null}   ->   {"a":null,"b":[1e0,"x"]}
 */
export function canonicalJson(text: string): string {
  const writer = new CanonicalWriter(text)
  walkJson(text, 0, writer)
  return writer.text
}

/** An object or array that has begun: its members as they are known so far. */
type Open = {
  readonly members: Array<{ readonly name: string; readonly text: string }>
  name: string
}

class CanonicalWriter implements JsonVisitor {
  readonly #source: string
  readonly #open: Open[] = []
  text = ''

  constructor(source: string) {
    this.#source = source
  }

  open(): void {
    this.#open.push({ members: [], name: '' })
  }

  name(from: number, to: number): void {
    const open = this.#open.at(-1) as Open
    open.name = JSON.parse(this.#source.slice(from, to)) as string
  }

  scalar(from: number, to: number): void {
    this.#add(canonicalScalar(this.#source.slice(from, to)))
  }

  close(kind: '{' | '['): void {
    const { members } = this.#open.pop() as Open
    if (kind === '{') members.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    let text: string = kind
    let separator = ''
    for (const member of members) {
      // Concatenation is a matter of pointers here: no level copies what is inside of it.
      text += separator + (kind === '{' ? `${JSON.stringify(member.name)}:` : '') + member.text
      separator = ','
    }
    this.#add(text + (kind === '{' ? '}' : ']'))
  }

  #add(text: string): void {
    const open = this.#open.at(-1)
    if (open === undefined) this.text = text
    else open.members.push({ name: open.name, text })
  }
}

function canonicalScalar(text: string): string {
  const first = text.charAt(0)
  if (first === '"') return text.includes('\\') ? JSON.stringify(JSON.parse(text)) : text
  return first === '-' || (first >= '0' && first <= '9') ? canonicalNumber(text) : text
}
