// SPDX-License-Identifier: Apache-2.0

const SPACE = /[ \t\n\r]*/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y

type Expectation = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'commaOrEnd'

/**
 * The offset of the first character that cannot belong to a JSON text, for an error message:
 * JSON.parse itself does not always say. The length of the text when it merely ends too early.
 */
export function offsetOfJsonError(text: string): number {
  const open: Array<'{' | '['> = []
  let expectation: Expectation = 'value'
  let offset = skip(SPACE, text, 0)
  while (offset < text.length) {
    const character = text[offset] as string
    const inside = open.at(-1)
    let next: number
    if (expectation === 'colon') {
      next = character === ':' ? offset + 1 : offset
      expectation = 'value'
    } else if (expectation === 'commaOrEnd' && character === ',' && inside !== undefined) {
      next = offset + 1
      expectation = inside === '{' ? 'key' : 'value'
    } else if (expectation !== 'value' && expectation !== 'key' && closes(inside, character)) {
      open.pop()
      next = offset + 1
      expectation = 'commaOrEnd'
    } else if (expectation === 'key' || expectation === 'keyOrEnd') {
      next = character === '"' ? skipString(text, offset) : offset
      expectation = 'colon'
    } else if (expectation === 'commaOrEnd') {
      return offset
    } else if (character === '{' || character === '[') {
      open.push(character)
      next = offset + 1
      expectation = character === '{' ? 'keyOrEnd' : 'valueOrEnd'
    } else {
      next = character === '"' ? skipString(text, offset) : skip(SCALAR, text, offset)
      expectation = 'commaOrEnd'
    }
    if (next === offset) return offset
    offset = skip(SPACE, text, next)
  }
  return text.length
}

function closes(open: '{' | '[' | undefined, character: string): boolean {
  return (open === '{' && character === '}') || (open === '[' && character === ']')
}

function skip(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset
  return pattern.test(text) ? pattern.lastIndex : offset
}

/** The offset after the string that begins at `start`; `start` itself where it is not a string. */
function skipString(text: string, start: number): number {
  let offset = start + 1
  while (offset < text.length) {
    const character = text[offset] as string
    if (character === '"') return offset + 1
    if (character < ' ') return start
    const next = character === '\\' ? skip(ESCAPE, text, offset) : offset + 1
    if (next === offset) return start
    offset = next
  }
  return start
}

/** 1-based line and column, in UTF-16 code units, of an offset. */
export function positionAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: offset - lineStart + 1 }
}
