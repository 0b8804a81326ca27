// SPDX-License-Identifier: Apache-2.0
import { Random } from '../load/random.ts'
import type { StoreRecord, Table } from '../stores/store.ts'
import { fnvHash64 } from './key-chooser.ts'

export const FIELD_COUNT = 10
export const FIELD_LENGTH = 100
const FIELD_NAMES = Array.from({ length: FIELD_COUNT }, (_, index) => `field${index}`)

export const USERTABLE: Table = {
  name: 'usertable',
  key: 'ycsb_key',
  fields: FIELD_NAMES,
  type: 'TEXT',
}

const KEY_DIGITS = 19
const TEXT_LENGTH = 2 ** 16
const PRINTABLE_FIRST = 32
const PRINTABLE_COUNT = 95
const TEXT_SEED = 26

/**
 * The key of a record: its hash, so that records are not inserted in the order of their keys. Padded
 * with zeroes (YCSB does not), so that every store has them in the same order.
 */
export function recordKey(number: number): string {
  const { high, low } = fnvHash64(number)
  const digits = (BigInt(high) * 2n ** 32n + BigInt(low)).toString()
  return `user${digits.padStart(KEY_DIGITS, '0')}`
}

/** Field texts: pieces of one long random text, which is much cheaper than drawing each character. */
export class FieldTexts {
  readonly #text: string
  readonly #length: number

  constructor(length = FIELD_LENGTH) {
    this.#length = length
    const random = new Random(TEXT_SEED)
    const codes = Array.from({ length: TEXT_LENGTH }, () => {
      return PRINTABLE_FIRST + random.below(PRINTABLE_COUNT)
    })
    this.#text = codes.map((code) => String.fromCharCode(code)).join('')
  }

  next(random: Random): string {
    const start = random.below(TEXT_LENGTH - this.#length)
    return this.#text.slice(start, start + this.#length)
  }

  record(number: number, random: Random): StoreRecord {
    return { key: recordKey(number), fields: FIELD_NAMES.map(() => this.next(random)) }
  }
}
