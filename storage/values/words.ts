// SPDX-License-Identifier: Apache-2.0
import type { Meter } from './json/json-path.ts'

/** What a character costs of a text whose words are found. */
export const WORD_UNITS = 100

/** Of a longer word the rest makes no difference. */
const WORD_CHARACTERS_MAX = 100

/** Entries of an index are made by the rules of this version of ICU; another may find other words. */
export const WORDS_VERSION = Number.parseInt(process.versions.icu ?? '0', 10)

/** The words of a text, from its beginning, as often as they stand there. They are paid for at once. */
export function* wordsOf(text: string, meter: Meter): Generator<string, void, undefined> {
  meter.spend(WORD_UNITS * text.length)
  for (const { segment, isWordLike } of segmenter().segment(text)) {
    // To order what may be thousands of accents takes the square of their number: a long word is cut before.
    if (isWordLike) yield begin(begin(segment).normalize('NFKC').toLowerCase())
  }
}

/** Whether a word reaches to the end of the text. */
export function endsWithWord(text: string): boolean {
  return (
    segmenter()
      .segment(text)
      .containing(text.length - 1)?.isWordLike === true
  )
}

let known: Intl.Segmenter | undefined

function segmenter(): Intl.Segmenter {
  // The locale of the machine must make no difference.
  known ??= new Intl.Segmenter('en', { granularity: 'word' })
  return known
}

function begin(word: string): string {
  if (word.length <= WORD_CHARACTERS_MAX) return word
  const cutsPair = (word.charCodeAt(WORD_CHARACTERS_MAX) & 0xfc00) === 0xdc00
  return word.slice(0, WORD_CHARACTERS_MAX - (cutsPair ? 1 : 0))
}
