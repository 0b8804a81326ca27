// SPDX-License-Identifier: Apache-2.0
import { hash } from 'node:crypto'

/** The table whose subscribers are checked. Its keys are the whole numbers from 0 on, so many. */
export const WATCHED_KEYS = 48

export const CREATE_WATCHED =
  'CREATE TABLE watched (id INTEGER PRIMARY KEY, owner TEXT, amount INTEGER, body TEXT)'

export type WatchedRow = {
  readonly id: number
  readonly owner: string
  readonly amount: number
  readonly body: string | null
}

/** A statement that can be subscribed to, and what it says of a row, told without the server. */
export type WatchedQuery = {
  readonly sql: string
  readonly params?: readonly unknown[]
  readonly matches: (row: WatchedRow) => boolean
  readonly project: (row: WatchedRow) => Readonly<Record<string, unknown>>
}

const small = ({ id, owner, amount }: WatchedRow) => ({ id, owner, amount })

/** Every row with its long text: what makes a reader slow, and a commit several frames long. */
export const WHOLE_ROWS: WatchedQuery = {
  sql: 'SCAN * FROM watched USE PRIMARY KEY',
  matches: () => true,
  project: (row) => row,
}

/** One for each way in which the server finds out whom a row concerns. */
export const WATCHED_QUERIES: readonly WatchedQuery[] = [
  {
    sql: 'SCAN id, owner, amount FROM watched USE PRIMARY KEY',
    matches: () => true,
    project: small,
  },
  {
    sql: 'SCAN id, owner, amount FROM watched WHERE id >= $1 AND id < $2',
    params: [12, 30],
    matches: ({ id }) => id >= 12 && id < 30,
    project: small,
  },
  ...['ann', 'bob'].map((name) => ({
    sql: 'SCAN id, owner, amount FROM watched USE PRIMARY KEY WHERE owner = $1',
    params: [name],
    matches: ({ owner }: WatchedRow) => owner === name,
    project: small,
  })),
  {
    sql: 'SCAN id, amount % 7 AS rest FROM watched USE PRIMARY KEY WHERE amount % 2 = 0',
    matches: ({ amount }) => amount % 2 === 0,
    project: ({ id, amount }) => ({ id, rest: amount % 7 }),
  },
  {
    sql: 'GET id, owner, amount FROM watched WHERE id IN (3, 17, 40)',
    matches: ({ id }) => id === 3 || id === 17 || id === 40,
    project: small,
  },
  ...Array.from({ length: WATCHED_KEYS }, (_, key) => ({
    sql: 'GET id, owner, amount FROM watched WHERE id = $1',
    params: [key],
    matches: ({ id }: WatchedRow) => id === key,
    project: small,
  })),
]

const LONG_CHARACTERS = 200

/** A value as records keep it: of a long text its length and its digest. */
export function shortened(value: unknown): unknown {
  if (typeof value !== 'string' || value.length < LONG_CHARACTERS) return value
  return `${value.length} ${hash('sha1', value)}`
}

export function shortenedRow<Row extends object>(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, shortened(value)]),
  ) as Row
}
