// SPDX-License-Identifier: Apache-2.0

const SPACE = /[ \t\n\r]*/y
const MARKS = '{}[],:'
const SCALAR =
  /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\uffff]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** What a value may begin with; a 0 stands for numbers and words. */
const VALUE = '{["0'

/**
 * The offset of the first character that cannot belong to a JSON text, for an error message:
 * JSON.parse itself does not always say. The length of the text when it merely ends too early.
 */
export function offsetOfJsonError(text: string): number {
  const open: string[] = []
  let allowed = VALUE
  let offset = skip(SPACE, text, 0)
  while (offset < text.length) {
    const first = text[offset] as string
    const isMark = MARKS.includes(first)
    const end = isMark ? offset + 1 : skip(SCALAR, text, offset)
    const token = isMark || first === '"' ? first : '0'
    if (end === offset || !allowed.includes(token)) return offset
    const isName = token === '"' && !allowed.includes('0')
    if (token === '{' || token === '[') open.push(token)
    else if (token === '}' || token === ']') open.pop()
    if (token === '{') allowed = '"}'
    else if (token === '[') allowed = `${VALUE}]`
    else if (token === ',' && open.at(-1) === '{') allowed = '"'
    else if (token === ',' || token === ':') allowed = VALUE
    else if (isName) allowed = ':'
    else allowed = open.length === 0 ? '' : open.at(-1) === '{' ? ',}' : ',]'
    // Most texts have no blanks.
    offset = (text[end] ?? ' ') > ' ' ? end : skip(SPACE, text, end)
  }
  return text.length
}

function skip(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset
  return pattern.test(text) ? pattern.lastIndex : offset
}

/** 1-based line and column, in UTF-16 code units, of an offset. */
export function positionAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: offset - lineStart + 1 }
}
