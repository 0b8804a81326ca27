// SPDX-License-Identifier: Apache-2.0

// Every name is made up, and is a function of a number.

const CONSONANTS = ['b', 'd', 'f', 'g', 'h', 'k', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v', 'z']
const VOWELS = ['a', 'e', 'i', 'o', 'u']
/** All of one length, so a word can be cut into its syllables in one way only. */
const SYLLABLES = CONSONANTS.flatMap((consonant) => VOWELS.map((vowel) => consonant + vowel))
const SYLLABLES_MIN = 3
/** Coprime to 3 and 5, so that names which follow each other do not look alike. */
const WORD_STEP = 123_457
const WORDS = SYLLABLES.length ** SYLLABLES_MIN

const LETTERS = 26
const SYMBOL_LETTERS = 5
/** Coprime to 26, so that symbols which follow each other do not look alike. */
const SYMBOL_STEP = 7_654_321
const SYMBOLS = LETTERS ** SYMBOL_LETTERS
/** Coprime to 10. */
const TAX_STEP = 7_368_787
const TAX_NUMBERS = 10 ** 8

const PARAGRAPH_LENGTH = 2 ** 14

/** Three syllables; different numbers below 421,875 give different words. */
export function word(number: number): string {
  let rest = (number * WORD_STEP) % WORDS
  let text = ''
  for (let place = 0; place < SYLLABLES_MIN; place += 1) {
    text += SYLLABLES[rest % SYLLABLES.length]
    rest = Math.floor(rest / SYLLABLES.length)
  }
  return text
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Five capital letters. */
export function symbolOf(security: number): string {
  let rest = (security * SYMBOL_STEP + LETTERS ** (SYMBOL_LETTERS - 1)) % SYMBOLS
  let symbol = ''
  for (let place = 0; place < SYMBOL_LETTERS; place += 1) {
    symbol = String.fromCharCode(65 + (rest % LETTERS)) + symbol
    rest = Math.floor(rest / LETTERS)
  }
  return symbol
}

/** Four digits, two letters, four digits: `4031QK8125`. */
export function taxIdOf(customer: number): string {
  const digits = String((customer * TAX_STEP + 40_310_007) % TAX_NUMBERS).padStart(8, '0')
  const letters = [customer * 7, customer * 11 + 3].map((at) => {
    return String.fromCharCode(65 + (at % LETTERS))
  })
  return `${digits.slice(0, 4)}${letters.join('')}${digits.slice(4)}`
}

/** Texts of a given length, cut out of one long paragraph of words at a place that a number tells. */
export class Paragraph {
  readonly #text: string

  constructor() {
    let text = ''
    for (let number = 0; text.length < PARAGRAPH_LENGTH; number += 1) {
      text += `${word(number)} `
    }
    this.#text = text.slice(0, PARAGRAPH_LENGTH)
  }

  cut(place: number, length: number): string {
    const start = place % PARAGRAPH_LENGTH
    let text = this.#text.slice(start, start + length)
    while (text.length < length) text += this.#text.slice(0, length - text.length)
    return text
  }
}
