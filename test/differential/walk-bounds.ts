// SPDX-License-Identifier: Apache-2.0
import { conditionsOf, type KeyBounds } from '../../planner/keys/key-range.ts'
import type { BothSides } from './both-sides.ts'
import type { TwoConditions } from './random/two-texts.ts'

/** The conditions of a statement, and where in its text each of them begins. */
export type PlacedConditions = {
  readonly where: readonly TwoConditions[]
  readonly conditionsAt: readonly number[]
}

export type RowsInBounds = {
  /** Rows that the conditions leave which are said to bound the key. */
  readonly count: number
  /** Whether a walk of these bounds meets as many rows, and not more for some of the conditions. */
  readonly isExact: boolean
  /** Whether each of these conditions names one column, so that it bounds as a whole. */
  readonly isSimple: boolean
}

/** What a plan says that it walks, counted by SQLite. */
export function rowsInBounds(
  { reference, table }: BothSides,
  bounds: KeyBounds,
  { where, conditionsAt }: PlacedConditions,
): RowsInBounds {
  const bounding = new Set(
    conditionsOf(bounds).map(({ source }) => {
      const place = conditionsAt.findLastIndex((at) => at <= source.position.offset)
      return where[place] as TwoConditions
    }),
  )
  const simple = [...bounding].filter(({ column }) => column !== undefined)
  return {
    count: reference.count(`SELECT COUNT(*) FROM ${table.name}${whereText(simple)}`),
    isExact: conditionsOf(bounds).every(({ exact }) => exact),
    isSimple: simple.length === bounding.size,
  }
}

export function whereText(where: readonly TwoConditions[]): string {
  return where.length === 0
    ? ''
    : ` WHERE ${where.map(({ theirs }) => `(${theirs})`).join(' AND ')}`
}

/** Conditions after a text of the dialect, each in parentheses, with the places where they begin. */
export function withConditions(
  text: string,
  where: readonly TwoConditions[],
): { readonly whole: string; readonly conditionsAt: readonly number[] } {
  let whole = text
  const conditionsAt = where.map(({ ours }, place) => {
    whole += place === 0 ? ' WHERE (' : ' AND ('
    const at = whole.length
    whole += `${ours})`
    return at
  })
  return { whole, conditionsAt }
}
