// SPDX-License-Identifier: Apache-2.0

/** How JSON columns are given: as values, where a number that a double cannot hold throws; or as their text. */
export type JsonMode = 'number' | 'text'

/** The texts of an object's members, as the server sent them. */
type KeptTexts = { readonly mode: JsonMode; readonly texts: ReadonlyMap<string, string> }

const kept = new WeakMap<object, KeptTexts>()

/** A number that JSON.parse may have rounded: 16 digits from 9007199254740993 on, 17 digits, or a large exponent. */
const MAY_ROUND = /9\d{15}|[\d.]{17}|\d[eE][-+]?\d{3}/

/** Objects deeper than this are inside of a column; rows of every answer and every frame are above. */
const ROW_DEPTH_MAX = 6

/** JSON.parse, which also keeps the texts of members where they say more than the values. */
export function parseKeeping(text: string, mode: JsonMode = 'number'): unknown {
  const json: unknown = JSON.parse(text)
  if (mode === 'text' || MAY_ROUND.test(text)) new TextKeeper(text, mode).keep(json)
  return json
}

/** What was kept of the members of a row; undefined where its values are all there is to know. */
export function keptTextsOf(row: object): KeptTexts | undefined {
  return kept.get(row)
}

/** The first number of a JSON text that JavaScript cannot hold; undefined when it can hold them all. */
export function inexactNumber(text: string): string | undefined {
  for (const [token] of text.matchAll(STRING_OR_NUMBER)) {
    if (token.startsWith('"') || token === String(Number(token))) continue
    if (decimalOf(token) !== decimalOf(String(Number(token)))) return token
  }
  return undefined
}

const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

/** One text for all writings of a decimal number. */
function decimalOf(number: string): string {
  const [, sign, whole, fraction = '', exponent] = DECIMAL.exec(number) as readonly string[]
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const kept = withoutEnd(digits, '0')
  const shift = Number(exponent) - fraction.length + digits.length - kept.length
  return kept && `${sign}${kept}e${shift}`
}

const DECIMAL = /^(-?)(\d*)\.?(\d*)e?(.*)/i

/** Without that character at its end, however often it is there. */
export function withoutEnd(text: string, character: string): string {
  let end = text.length
  while (text[end - 1] === character) end -= 1
  return text.slice(0, end)
}

/** Walks over a text that JSON.parse has taken, together with what it made of it. */
class TextKeeper {
  readonly #text: string
  readonly #mode: JsonMode
  #at = 0

  constructor(text: string, mode: JsonMode) {
    this.#text = text
    this.#mode = mode
  }

  keep(json: unknown, depth = 0): void {
    this.#skip(SPACE)
    if (typeof json !== 'object' || json === null) this.#skip(SCALAR)
    else if (depth > ROW_DEPTH_MAX) this.#skipNested()
    else if (Array.isArray(json)) this.#keepElements(json, depth)
    else this.#keepMembers(json as Record<string, unknown>, depth)
  }

  #keepElements(items: readonly unknown[], depth: number): void {
    this.#at += 1
    for (const item of items) {
      this.keep(item, depth + 1)
      this.#skip(BETWEEN)
    }
    this.#skip(BETWEEN)
    this.#at += 1
  }

  #keepMembers(object: Readonly<Record<string, unknown>>, depth: number): void {
    const texts = new Map<string, string>()
    this.#at += 1
    this.#skip(SPACE)
    while (this.#text[this.#at] !== '}') {
      const nameAt = this.#at
      this.#skip(SCALAR)
      const name = JSON.parse(this.#text.slice(nameAt, this.#at)) as string
      this.#skip(BETWEEN)
      const valueAt = this.#at
      this.keep(object[name], depth + 1)
      texts.set(name, this.#text.slice(valueAt, this.#at))
      this.#skip(BETWEEN)
    }
    this.#at += 1
    kept.set(object, { mode: this.#mode, texts })
  }

  #skipNested(): void {
    let depth = 0
    do {
      const unit = this.#text[this.#at]
      if (unit === '"') {
        this.#skip(SCALAR)
        continue
      }
      if (unit === '{' || unit === '[') depth += 1
      else if (unit === '}' || unit === ']') depth -= 1
      this.#at += 1
    } while (depth > 0)
  }

  #skip(pattern: RegExp): void {
    pattern.lastIndex = this.#at
    if (pattern.test(this.#text)) this.#at = pattern.lastIndex
  }
}

const SPACE = /[ \t\n\r]*/y
const BETWEEN = /[ \t\n\r]*[,:]?[ \t\n\r]*/y
const SCALAR = /"[^"\\]*(?:\\.[^"\\]*)*"|[\w.+-]+/y
