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

/**
 * Walks over the JSON value that begins at `from` and returns the offset after it. `JSON.parse` gives
 * values only: it rounds numbers, keeps the last of two members of one name, and sorts names that look
 * like array indexes. This walk gives the text itself. The text must be one that `JSON.parse` accepts.
 * Time is linear, and depth costs no stack.
 */
export function walkJson(text: string, from: number, visitor: JsonVisitor): number {
  let depth = 0
  let at = from
  for (;;) {
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
    if (depth === 0) return at
  }
}

// An opening bracket or brace, and a closing one, differ in this one bit only.
const CASE_BIT = 0x20

/** How deep arrays and objects stand inside each other in the text; counting ends beyond `max`. */
export function jsonNesting(text: string, max: number): number {
  // What is shorter cannot open so many.
  if (text.length <= max) return 0
  let depth = 0
  let deepest = 0
  for (let at = 0; at < text.length && deepest <= max; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) at = endOfJsonString(text, at + 1)
    else if ((unit & ~CASE_BIT) === CLOSE_ARRAY) depth -= 1
    else if ((unit & ~CASE_BIT) === OPEN_ARRAY) depth += 1
    if (depth > deepest) deepest = depth
  }
  return deepest
}

/** Where the quote stands that ends the string whose content begins at `from`; the length of the text where none does. */
export function endOfJsonString(text: string, from: number): number {
  let end = text.indexOf('"', from)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

/** Whether an odd number of backslashes stands before the quote; the quote that began the string is before them. */
function isEscaped(text: string, quote: number): boolean {
  let before = quote - 1
  while (text.charCodeAt(before) === BACKSLASH) before -= 1
  return (quote - before) % 2 === 0
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
