// SPDX-License-Identifier: Apache-2.0

import type { Expression, Lookup, ScanStatement } from '../ast.ts'
import { shownName } from '../completion/shown-name.ts'

type Column = Expression & { readonly kind: 'column' }
type Table = { readonly name: string; readonly text: string }
type Equality = readonly [Column, Column]

/**
 * The same statement beginning with each of the other tables: what a JOIN finds from the one side, LOOKUP finds only
 * from the side of many. None where a BY is more than columns that equal each other, or a LOOKUP is OPTIONAL.
 */
export function otherLookupOrders(text: string, statement: ScanStatement): readonly string[] {
  const { lookups = [], table, alias, hint } = statement
  const equalities = lookups.map(equalitiesOf)
  const last = lookups.at(-1)
  if (last === undefined || hint !== undefined || equalities.includes(undefined)) return []
  const tables = [{ table, alias }, ...lookups].map((each) => ({
    name: (each.alias ?? each.table).text,
    text: `${shownName(each.table.text)}${each.alias ? ` AS ${shownName(each.alias.text)}` : ''}`,
  }))
  const conditions = equalities.flatMap((each) => each ?? [])
  const start = table.position.offset
  const rest = /\s(?:WHERE|GROUP|ORDER|LIMIT)\b/i.exec(text.slice(last.by.position.offset))
  const end = rest === null ? text.length : last.by.position.offset + rest.index
  return tables.slice(1).flatMap((first) => {
    const from = fromText(first, tables, conditions)
    if (from === undefined) return []
    const before = text.slice(0, start) + from
    return [before + ofFirst(text.slice(end), first, conditions), before + text.slice(end)]
  })
}

function fromText(
  first: Table,
  tables: readonly Table[],
  conditions: readonly Equality[],
): string | undefined {
  const there = [first.name]
  let from = first.text
  let open = conditions
  while (there.length < tables.length) {
    const next = tables.find(({ name }) => !there.includes(name) && open.some(joins(name, there)))
    if (next === undefined) return undefined
    const by = open.filter(joins(next.name, there))
    from += ` LOOKUP ${next.text} BY ${by.map(([left, right]) => `${shown(left)} = ${shown(right)}`).join(' AND ')}`
    open = open.filter((each) => !by.includes(each))
    there.push(next.name)
  }
  return open.length === 0 ? from : undefined
}

/** c.id = 'ann' is o.customer = 'ann' where the two are equal: only the first table's own columns bound a walk. */
function ofFirst(rest: string, { name }: Table, conditions: readonly Equality[]): string {
  let text = rest
  for (const [left, right] of conditions) {
    const [own, other] = left.qualifier === name ? [left, right] : [right, left]
    if (own.qualifier === name) text = text.split(shown(other)).join(shown(own))
  }
  return text
}

/** Whether a condition compares a column of the table with one of those that are there. */
function joins(name: string, there: readonly string[]): (equality: Equality) => boolean {
  return ([left, right]) =>
    (left.qualifier === name && there.includes(right.qualifier ?? '')) ||
    (right.qualifier === name && there.includes(left.qualifier ?? ''))
}

function equalitiesOf({ by, isOptional }: Lookup): readonly Equality[] | undefined {
  const parts = by.kind === 'logical' && by.operator === 'AND' ? by.operands : [by]
  const equalities = parts.map(equalityOf)
  if (isOptional || equalities.includes(undefined)) return undefined
  return equalities.flatMap((each) => (each === undefined ? [] : [each]))
}

function equalityOf(part: Expression): Equality | undefined {
  if (part.kind !== 'binary') return undefined
  const [only, other] = part.rest
  const { first } = part
  if (only === undefined || other !== undefined || only.operator !== '=') return undefined
  if (first.kind !== 'column' || only.operand.kind !== 'column') return undefined
  return [first, only.operand]
}

function shown({ qualifier, name }: Column): string {
  return qualifier === undefined ? shownName(name) : `${shownName(qualifier)}.${shownName(name)}`
}
