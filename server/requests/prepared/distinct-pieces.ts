// SPDX-License-Identifier: Apache-2.0
import { distinctText, type JsonSource, sourceOf } from '../../../planner/planner.ts'
import { PIECE_CHARACTERS, piecesOf, stringPieces } from '../answers/text-pieces.ts'

/** `distinctText` of what `JSON.parse` made, in pieces. One may be empty: then its maker has worked. */
export function distinctPieces(value: unknown): Iterable<string> {
  const source = typeof value === 'object' && value !== null ? sourceOf(value) : undefined
  if (source === undefined) return jsonPieces(value)
  // Nearly every body is short.
  return source.length <= PIECE_CHARACTERS ? [distinctText(value)] : longPieces(value, source)
}

function* longPieces(value: unknown, source: JsonSource): Generator<string, void, undefined> {
  yield* source.lookForRounding(PIECE_CHARACTERS)
  if (!source.mayRound) {
    yield* jsonPieces(value)
    return
  }
  for (const piece of source.distinctPieces(PIECE_CHARACTERS)) {
    yield* typeof piece === 'string' ? piecesOf(piece) : stringPieces(piece.string)
  }
}

/** An array or object that has begun, and the value of it that is next. */
type Open = {
  readonly names: readonly string[] | undefined
  readonly values: readonly unknown[]
  next: number
}

/** `JSON.stringify` of it, which takes tenths of a second where megabytes are to be escaped. */
function* jsonPieces(whole: unknown): Generator<string, void, undefined> {
  const open: Open[] = []
  let text = ''
  let value = whole
  for (;;) {
    if (typeof value === 'object' && value !== null) {
      const begun = openOf(value)
      open.push(begun)
      text += begun.names === undefined ? '[' : '{'
    } else if (isLong(value)) {
      yield text
      text = ''
      yield* stringPieces(value)
    } else {
      text += JSON.stringify(value)
    }
    let last = open.at(-1)
    while (last !== undefined && last.next === last.values.length) {
      text += last.names === undefined ? ']' : '}'
      open.pop()
      last = open.at(-1)
    }
    if (text.length >= PIECE_CHARACTERS) {
      yield text
      text = ''
    }
    if (last === undefined) break
    if (last.next > 0) text += ','
    const name = last.names?.[last.next]
    if (isLong(name)) {
      yield text
      yield* stringPieces(name)
      text = ':'
    } else if (name !== undefined) {
      text += `${JSON.stringify(name)}:`
    }
    value = last.values[last.next]
    last.next += 1
  }
  if (text !== '') yield text
}

function openOf(value: object): Open {
  return Array.isArray(value)
    ? { names: undefined, values: value, next: 0 }
    : { names: Object.keys(value), values: Object.values(value), next: 0 }
}

function isLong(value: unknown): value is string {
  return typeof value === 'string' && value.length > PIECE_CHARACTERS
}
