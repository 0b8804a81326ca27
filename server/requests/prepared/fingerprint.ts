// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto'
import type { Turns } from '../../guard/budgets/turns.ts'
import { PIECE_CHARACTERS } from '../answers/text-pieces.ts'

/**
 * SHA-256 of the text in UTF-8, in hexadecimal, with a pause wherever a turn is used up. It is stored with answers
 * that are kept for a day, so it has to stay the same from one version to the next.
 */
export async function fingerprintOf(pieces: Iterable<string>, turns: Turns): Promise<string> {
  const hash = createHash('sha256')
  let text = ''
  for (const piece of pieces) {
    text += piece
    if (text.length >= PIECE_CHARACTERS) {
      // A text that is handed over as it is takes several times as long.
      hash.update(Buffer.from(text))
      text = ''
    }
    if (turns.isDue) await turns.pause()
  }
  return hash.update(Buffer.from(text)).digest('hex')
}
