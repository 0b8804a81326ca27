// SPDX-License-Identifier: Apache-2.0
import type { Row } from '../values.ts'
import type { Tables } from './table-types.ts'

/**
 * The row that a statement answers, as far as its text tells the compiler: `*`, or columns by their names,
 * of a table of `Known`. Of everything else it is `Row`.
 *
 *     RowOf<{ account: { row: { id: string; balance: number } } }, 'GET balance FROM account WHERE id = :id'>
 *     is { balance: number }
 */
export type RowOf<Known extends Tables<Known>, Sql extends string> = string extends Sql
  ? Row
  : Sql extends `${'GET' | 'SCAN'} ${infer Columns}${Space}FROM${Space}${infer Rest}`
    ? FirstWord<Rest> extends infer Name extends keyof Known
      ? ColumnsOf<Known[Name]['row'], Trimmed<Columns>>
      : Row
    : Row

type ColumnsOf<R, Columns extends string> = Columns extends '*'
  ? R
  : [Listed<Columns>] extends [keyof R]
    ? Pick<R, Listed<Columns> & keyof R>
    : Row

/** The parts of a list between its commas, as a union. */
type Listed<List extends string> = List extends `${infer First},${infer Others}`
  ? Trimmed<First> | Listed<Others>
  : Trimmed<List>

type Space = ' ' | '\n'

type Trimmed<Text extends string> = Text extends `${Space}${infer Rest}`
  ? Trimmed<Rest>
  : Text extends `${infer Rest}${Space}`
    ? Trimmed<Rest>
    : Text

type FirstWord<Text extends string> = Before<Before<Text, ' '>, '\n'>

type Before<Text extends string, End extends string> = Text extends `${infer Word}${End}${string}`
  ? Word
  : Text
