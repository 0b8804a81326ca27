// SPDX-License-Identifier: Apache-2.0

import type { Turns } from '../../guard/budgets/turns.ts'
import { type AnswerBody, bytesOf } from './answer-body.ts'

/** Characters of a text that is handled in one piece: that takes a fraction of a millisecond. */
export const PIECE_CHARACTERS = 64 * 1024

/** The text in pieces of at most `PIECE_CHARACTERS`; no pair of surrogates is divided. */
export function* piecesOf(text: string): Generator<string, void, undefined> {
  let from = 0
  while (text.length - from > PIECE_CHARACTERS) {
    const end = from + PIECE_CHARACTERS
    const to = isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end
    yield text.slice(from, to)
    from = to
  }
  if (from < text.length) yield text.slice(from)
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}

/** A string of JSON, in pieces. */
export function* stringPieces(text: string): Generator<string, void, undefined> {
  yield '"'
  for (const piece of piecesOf(text)) yield JSON.stringify(piece).slice(1, -1)
  yield '"'
}

/** The pieces in chunks that are worth sending. */
export function* chunksOf(pieces: Iterable<string>): Generator<string, void, undefined> {
  let text = ''
  for (const piece of pieces) {
    text += piece
    if (text.length < PIECE_CHARACTERS) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

/**
 * The pieces as one body, with a pause wherever a turn is used up. A piece may be empty: then its maker has worked,
 * and has nothing to write yet. Bytes are taken as they are.
 */
export async function bodyInTurns(
  pieces: Iterable<string | Uint8Array>,
  turns: Turns,
): Promise<AnswerBody> {
  const parts: Uint8Array[] = []
  let text = ''
  for (const piece of pieces) {
    const isBytes = typeof piece !== 'string'
    if (!isBytes) text += piece
    if (text.length >= PIECE_CHARACTERS || (isBytes && text !== '')) {
      parts.push(Buffer.from(text))
      text = ''
    }
    if (isBytes) parts.push(piece)
    if (turns.isDue) await turns.pause()
  }
  if (parts.length === 0) return text
  if (text !== '') parts.push(Buffer.from(text))
  return parts
}

/** The body in one part, as it is sent: to put fifty megabytes together takes a tenth of a second and more. */
export async function joinedInTurns(body: AnswerBody, turns: Turns): Promise<AnswerBody> {
  if (typeof body === 'string' || body.length < 2) return body
  const joined = Buffer.allocUnsafeSlow(bytesOf(body))
  let at = 0
  for (const part of body) {
    joined.set(part, at)
    at += part.length
    if (turns.isDue) await turns.pause()
  }
  return [joined]
}
