// SPDX-License-Identifier: Apache-2.0
import { wholeNumber } from '../harness/command-line.ts'
import type { Table } from '../stores/store.ts'
import type { Random } from './random.ts'

// What every server holds when `http` and `peers` begin, the same in each: so many items of an id of
// 12 characters and a value of 100, and so many accounts with a balance.

/** How many items, and how many accounts, each server holds. */
export const ROWS_OPTION = {
  default: '10000',
  help: 'items, and accounts, in every server',
} as const
export const ITEMS: Table = { name: 'item', key: 'id', fields: ['value'], type: 'TEXT' }
export const ACCOUNTS: Table = { name: 'account', key: 'id', fields: ['balance'], type: 'INTEGER' }
const VALUE_LENGTH = 100
export const FIRST_BALANCE = 1_000_000

/** For the reports. */
export const DATA_NOTE = `Every server holds --rows items (id of 12 characters, value of ${VALUE_LENGTH}) and as many accounts; keys are drawn uniformly, and every written value is a new one.`

/** Throws UsageError. */
export function rowsOf(options: Readonly<Record<string, string>>): number {
  return wholeNumber('rows', options.rows ?? ROWS_OPTION.default, 10_000_000, 2)
}

export function itemId(number: number): string {
  return `item${String(number).padStart(8, '0')}`
}

export function accountId(number: number): string {
  return `acct${String(number).padStart(8, '0')}`
}

/** The ids of two different accounts. */
export function twoAccounts(random: Random, rows: number): readonly [string, string] {
  const from = random.below(rows)
  const to = (from + 1 + random.below(rows - 1)) % rows
  return [accountId(from), accountId(to)]
}

/** As `twoAccounts`, account r drawn in proportion to 1 / (r + 1)^1.5: the first is in 62 % of the pairs. */
export function twoSkewedAccounts(random: Random, rows: number): readonly [string, string] {
  const from = skewed(random, rows)
  for (;;) {
    const to = skewed(random, rows)
    if (to !== from) return [accountId(from), accountId(to)]
  }
}

const SKEW = 1.5
let skewedShares = new Float64Array()

function skewed(random: Random, rows: number): number {
  if (skewedShares.length !== rows) {
    let sum = 0
    skewedShares = Float64Array.from({ length: rows }, (_, at) => (sum += (at + 1) ** -SKEW))
  }
  const drawn = random.next() * (skewedShares.at(-1) as number)
  let [low, high] = [0, rows - 1]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((skewedShares[middle] as number) <= drawn) low = middle + 1
    else high = middle
  }
  return low
}

/** A value that no other write of a run has: an identical one would cost some stores nothing. */
export function itemValue(random: Random, sequence: number): string {
  return `${sequence.toString(36)}.${random.next().toString(36)}.`.padEnd(VALUE_LENGTH, 'v')
}

/** The numbers of all rows in pieces, for loading. */
export function* batches(rows: number, size: number): Iterable<readonly number[]> {
  for (let first = 0; first < rows; first += size) {
    const count = Math.min(size, rows - first)
    yield Array.from({ length: count }, (_, offset) => first + offset)
  }
}
