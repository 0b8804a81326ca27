// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../../client-sdk/client.ts'
import { literalOf, quoted, textLiteral } from '../../page/statements/sql-text.ts'
import { sentValues } from '../form-values.ts'

/** As a statement has them, but for those that a statement says in another way. */
export const COMPARISONS = ['=', '<', '<=', '>', '>=', 'begins with', 'is NULL'] as const
export type Comparison = (typeof COMPARISONS)[number]

const NO_BEGINNING =
  'The beginning of a text is at least one character, and has no % and no _ in it.'

type Column = Pick<Schemas['TableColumn'], 'name' | 'type'>

/** The comparisons that a column has. */
export function comparisonsOf({ type }: Column): readonly Comparison[] {
  if (type === 'JSON') return ['is NULL']
  return COMPARISONS.filter((one) => one !== 'begins with' || type === 'TEXT')
}

/** A condition on a column, or what is wrong with the value. */
export function conditionOf(
  column: Column,
  comparison: Comparison,
  text: string,
): { readonly condition: string } | { readonly problem: string } {
  const name = quoted(column.name)
  if (comparison === 'is NULL') return { condition: `${name} IS NULL` }
  if (comparison === 'begins with') {
    // There is no escape for what stands for other characters.
    if (text === '' || /[%_]/.test(text)) return { problem: NO_BEGINNING }
    return { condition: `${name} LIKE ${textLiteral(`${text}%`)}` }
  }
  const { row, problems } = sentValues([column as Schemas['TableColumn']], {
    [column.name]: { kind: 'text', text },
  })
  const problem = problems[column.name]
  if (problem !== undefined) return { problem }
  const value = row[column.name]
  const isDecimal = column.type === 'DECIMAL'
  return { condition: `${name} ${comparison} ${isDecimal ? text.trim() : literalOf(value)}` }
}

/** Both conditions, where there is one already. */
export function joined(where: string | undefined, condition: string): string {
  if (where === undefined) return condition
  return /\bor\b/i.test(where) ? `(${where}) AND ${condition}` : `${where} AND ${condition}`
}
