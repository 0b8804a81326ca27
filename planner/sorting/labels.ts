// SPDX-License-Identifier: Apache-2.0
import type {
  Expression,
  LabelledExpression,
  OrderPart,
  Projection,
  ScanStatement,
} from '../../parser/ast.ts'
import { PlanError } from '../plan-error.ts'
import type { RowPart } from '../row-parts.ts'

export type Labelled = Pick<LabelledExpression, 'expression' | 'label'>

/** What of a projection is no `*`. */
export function labelledOf(projection: Projection): readonly Labelled[] {
  if (projection.kind === 'allColumns') return []
  return projection.items.flatMap((item) => (item.kind === 'expression' ? [item] : []))
}

/** Whether a name alone is that of a column. */
export function hasColumn(parts: readonly RowPart[], name: string): boolean {
  return parts.some(({ table, isQualifiedOnly }) => {
    return isQualifiedOnly !== true && table.columns.some((column) => column.name === name)
  })
}

/**
 * The ORDER BY with what a label of the projection stands for in place of the label. As in SQL a label comes first, and
 * then a column of its name. Throws PlanError for the number of a column, and other values.
 */
export function orderedBy({ projection, orderBy }: ScanStatement): readonly OrderPart[] {
  const items = labelledOf(projection)
  return orderBy.map((part) => {
    refuseNumber(part.expression, 'ORDER BY')
    const meant = labelled(items, part.expression)
    return meant === undefined ? part : { ...part, expression: meant }
  })
}

/**
 * What makes the groups of a SCAN: its GROUP BY, or the projection of one that is DISTINCT, whose `*` are written out
 * in `projected`. In a GROUP BY a column comes first, and then a label of its name. Throws PlanError as `orderedBy`.
 */
export function groupedBy(
  { projection, distinct, groupBy }: ScanStatement,
  projected: readonly Labelled[],
  parts: readonly RowPart[],
): readonly Expression[] {
  if (distinct === true) {
    if (groupBy.length > 0) throw distinctGroups(groupBy)
    return projected.map(({ expression }) => expression)
  }
  const items = labelledOf(projection).filter(({ label }) => !hasColumn(parts, label))
  return groupBy.map((expression) => {
    refuseNumber(expression, 'GROUP BY')
    return labelled(items, expression) ?? expression
  })
}

function labelled(items: readonly Labelled[], expression: Expression): Expression | undefined {
  if (expression.kind !== 'column' || expression.qualifier !== undefined) return undefined
  return items.find(({ label }) => label === expression.name)?.expression
}

/** SQL counts the columns of the result there. */
function refuseNumber(expression: Expression, clause: string): void {
  if (expression.kind !== 'literal') return
  throw new PlanError('invalid_request', `${clause} takes no number and no other literal.`, {
    position: expression.position,
    hint: 'Name a column, an expression, or the label of one that AS gives it.',
  })
}

function distinctGroups([first]: readonly Expression[]): PlanError {
  return new PlanError('invalid_request', 'DISTINCT and GROUP BY do not go together.', {
    position: first?.position,
    hint: 'SCAN DISTINCT a, b is SCAN a, b … GROUP BY a, b: take one of them.',
  })
}
