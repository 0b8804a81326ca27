// SPDX-License-Identifier: Apache-2.0
import type { Expression } from '../../../parser/ast.ts'
import { partsOf } from '../../../parser/expression-parts.ts'
import { distinctConjunctsOf } from '../../keys/key-condition.ts'
import { partAt, type RowPart, requireColumnOf } from '../../row-parts.ts'

/** The conditions of a WHERE by the tables that they need. */
export type SplitWhere = {
  /** Those of the first table alone, of which the bounds of its walk are made. */
  readonly own?: Expression
  /** For each table that is looked up, those that it and the tables before it can tell. */
  readonly later: ReadonlyArray<readonly Expression[]>
}

/** Throws PlanError for columns that no table has, or several. */
export function splitWhere(parts: readonly RowPart[], where: Expression | undefined): SplitWhere {
  const later: Expression[][] = parts.slice(1).map(() => [])
  if (where === undefined || later.length === 0)
    return where === undefined ? { later } : { own: where, later }
  const own: Expression[] = []
  for (const conjunct of distinctConjunctsOf(where)) {
    const last = lastPartOf(parts, conjunct)
    const list = last === 0 ? own : (later[last - 1] as Expression[])
    list.push(conjunct)
  }
  const [only, ...others] = own
  if (only === undefined) return { later }
  const { position } = where
  if (others.length === 0) return { own: only, later }
  return { own: { kind: 'logical', operator: 'AND', operands: own, position }, later }
}

/** The number of the last table that the expression names a column of; 0 is the first one. */
export function lastPartOf(parts: readonly RowPart[], expression: Expression): number {
  if (expression.kind === 'column') {
    return parts.indexOf(partAt(parts, requireColumnOf(parts, expression)))
  }
  return Math.max(0, ...partsOf(expression).map((part) => lastPartOf(parts, part)))
}
