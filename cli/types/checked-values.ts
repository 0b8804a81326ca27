// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import { createParser } from '../../parser/parser.ts'
import { textType, type ValueModes } from './type-text.ts'

type Table = Schemas['Table']

/** As much as is read of an expression in the list. */
type Listed = { readonly kind: string; readonly type?: unknown; readonly value?: unknown }

/**
 * The values that a check allows a column of TEXT or INTEGER, `status IN ('open', 'done')`, as a union of types; by the
 * name of the column. One that rows of before may not meet yet says nothing.
 */
export function checkedValues(
  { checks, columns }: Table,
  modes: ValueModes,
): ReadonlyMap<string, string> {
  const parser = createParser({ skipValidations: true })
  const unions = new Map<string, string>()
  for (const { condition, state } of checks) {
    if (state !== 'ready') continue
    const [scan] = parser.parseScript(`SCAN * FROM t WHERE ${condition}`)
    if (scan?.kind !== 'scan' || scan.where === undefined) continue
    const { where } = scan
    const met = where.kind === 'logical' && where.operator === 'AND' ? where.operands : [where]
    for (const each of met) {
      if (each.kind !== 'in' || each.negated || each.operand.kind !== 'column') continue
      const { name } = each.operand
      const type = columns.find((column) => column.name === name)?.type
      const union = 'kind' in each.list ? undefined : unionOf(each.list, type, modes)
      if (union !== undefined) unions.set(name, union)
    }
  }
  return unions
}

/** Undefined where one of them is no value of the type: of a NULL among them a check is never FALSE. */
function unionOf(
  list: readonly Listed[],
  type: string | undefined,
  { integers }: ValueModes,
): string | undefined {
  const texts = list.map((each) => {
    if (each.kind !== 'literal') return undefined
    if (each.type === 'text' && type === 'TEXT') return textType(`${each.value}`)
    if (each.type !== 'integer' || type !== 'INTEGER') return undefined
    return integers === 'bigint' ? `${each.value}n` : `${each.value}`
  })
  return texts.includes(undefined) ? undefined : [...new Set(texts)].join(' | ')
}
