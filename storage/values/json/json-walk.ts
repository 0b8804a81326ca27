// SPDX-License-Identifier: Apache-2.0

/** What a walk over a JSON text meets, in its order; `from` and `to` are offsets in the text. */
export interface JsonVisitor {
  /** An object or an array begins at `from`. */
  open(kind: '{' | '[', from: number): void
  /** The object or array that was opened last ends before `to`. */
  close(kind: '{' | '[', to: number): void
  /** The name of a member, quotes included; its value follows. */
  name(from: number, to: number): void
  /** A text with its quotes, a number, true, false or null. */
  scalar(from: number, to: number): void
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const SPACE = 0x20
/** An object's bracket and an array's differ in this one bit only. */
const KIND_BIT = 0x20

/**
 * Walks over the JSON value that begins at `from` and returns the offset after it. `JSON.parse` gives
 * values only: it rounds numbers, keeps the last of two members of one name, and sorts names that look
 * like array indexes. This walk gives the text itself. The text must be one that `JSON.parse` accepts.
 * Time is linear, and depth costs no stack.
 */
export function walkJson(text: string, from: number, visitor: JsonVisitor): number {
  const walk: JsonWalk = { at: from, depth: 0 }
  walkJsonUntil(text, walk, visitor, text.length + 1)
  return walk.at
}

/** Where a walk stands that is not at its end; at first `depth` is 0. */
export type JsonWalk = { at: number; depth: number }

/**
 * The same for as many parts as begin before `end`, from where `walk` stands, which it moves on. Returns whether the
 * value has ended.
 */
export function walkJsonUntil(
  text: string,
  walk: JsonWalk,
  visitor: JsonVisitor,
  end: number,
): boolean {
  let { at, depth } = walk
  while (at < end) {
    const unit = text.charCodeAt(at)
    if (unit <= SPACE || unit === COMMA || unit === COLON) {
      at += 1
      continue
    }
    if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) {
      visitor.open(unit === OPEN_OBJECT ? '{' : '[', at)
      depth += 1
      at += 1
      continue
    }
    if (unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) {
      depth -= 1
      at += 1
      visitor.close(unit === CLOSE_OBJECT ? '{' : '[', at)
    } else if (unit === QUOTE) {
      const start = at
      const end = endOfJsonString(text, at + 1) + 1
      at = skipSpace(text, end)
      if (text.charCodeAt(at) === COLON) {
        visitor.name(start, end)
        continue
      }
      visitor.scalar(start, end)
      at = end
    } else {
      const end = endOfWord(text, at)
      if (end === at) throw new TypeError(`This is not JSON at ${at}.`)
      visitor.scalar(at, end)
      at = end
    }
    if (depth === 0) {
      walk.at = at
      return true
    }
  }
  walk.at = at
  walk.depth = depth
  return false
}

/** What a JSON text holds, as far as it was looked through. */
export type JsonShape = {
  /** How many arrays and objects are open at once. */
  readonly deepest: number
  /** All values, but that an empty array or object counts as one with a value in it. */
  readonly values: number
  /** Names of all objects: more than `JSON.parse` keeps where one stands twice. */
  readonly names: number
}

/**
 * The shape of a text that need not be JSON: where it is, a comma, and what opens an array or an object, begins a
 * value. Looks no further once there is more than may be.
 */
export function shapeOfJson(
  text: string,
  depthMax = text.length,
  valuesMax = text.length + 1,
): JsonShape {
  let depth = 0
  let deepest = 0
  let values = 1
  let names = 0
  for (let at = 0; at < text.length && values <= valuesMax && deepest <= depthMax; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) at = endOfJsonString(text, at + 1)
    else if (unit === COLON) names += 1
    else if (unit === COMMA) values += 1
    else if ((unit & ~KIND_BIT) === CLOSE_ARRAY) depth -= 1
    else if ((unit & ~KIND_BIT) === OPEN_ARRAY) {
      depth += 1
      values += 1
      if (depth > deepest) deepest = depth
    }
  }
  return { deepest, values, names }
}

/**
 * The index of the quote that ends the string whose content begins at `from`; the length of the text if there is none.
 */
export function endOfJsonString(text: string, from: number): number {
  const first = text.indexOf('"', from)
  if (first === -1) return text.length
  if (text.charCodeAt(first - 1) !== BACKSLASH) return first
  // To search for the next quote again and again would take ten times as long where most are escaped.
  for (let at = from; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) return at
    if (unit === BACKSLASH) at += 1
  }
  return text.length
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) <= SPACE) at += 1
  return at
}

/** The offset after a number, true, false or null. */
function endOfWord(text: string, from: number): number {
  let at = from
  for (;;) {
    const unit = text.charCodeAt(at)
    const isDigitOrLetter = (unit >= 0x30 && unit <= 0x39) || (unit >= 0x61 && unit <= 0x7a)
    // Besides them: plus, minus, point, E.
    if (!isDigitOrLetter && unit !== 0x2b && unit !== 0x2d && unit !== 0x2e && unit !== 0x45) {
      return at
    }
    at += 1
  }
}
