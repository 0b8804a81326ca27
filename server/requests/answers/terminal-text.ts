// SPDX-License-Identifier: Apache-2.0
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/**
 * What a terminal does not show as itself: control characters, which it obeys (escape sequences begin
 * with one), format characters, which turn or hide what is around them (U+202E, U+200B), separators of
 * lines, and halves of a pair.
 */
const NOT_SHOWN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** The text with an escape for each character that could break a line, a table, or the reader's trust. */
export function terminalText(text: string): string {
  if (text.search(NOT_SHOWN) === -1) return text
  // A function for each newline of a long text would take ten times as long.
  return text
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
    .replaceAll(NOT_SHOWN, (character) => {
      const code = (character.codePointAt(0) as number).toString(16)
      return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`
    })
}

/** Characters outside of ASCII whose width is looked up, in one answer; it takes about a microsecond each. */
export const MEASURED_CHARACTERS_MAX = 50_000

const ASCII = /^[\x20-\x7e]*$/

/**
 * Columns that texts take on a terminal: 日本語 takes six. Beyond `MEASURED_CHARACTERS_MAX` a character
 * counts as one column, so that a long answer is laid out less well and blocks no other request.
 */
export class DisplayWidths {
  #left = MEASURED_CHARACTERS_MAX
  /** Loaded with the first text that needs it: its expressions take 20 ms to compile. */
  #stringWidth: typeof import('string-width').default | undefined

  of(text: string): number {
    if (ASCII.test(text)) return text.length
    if (text.length > this.#left) return text.length
    this.#left -= text.length
    this.#stringWidth ??= (require('string-width') as typeof import('string-width')).default
    return this.#stringWidth(text)
  }
}
