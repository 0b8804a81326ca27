// SPDX-License-Identifier: Apache-2.0
import type { Expression } from '../../parser/ast.ts'
import { expressionText } from '../expressions/expression-text.ts'

/** More values than this are nothing to write down in a hint. */
const VALUES_MAX = 20

/**
 * `id = 'a' OR id = 'b'` is written `id IN ('a', 'b')`, which bounds a key. Undefined where the condition holds no
 * such choice among values of one column.
 */
export function eitherValueHint(where: Expression | undefined): string | undefined {
  const choice = where === undefined ? undefined : choiceIn(where)
  if (choice === undefined) return undefined
  const { column, values } = choice
  const texts = values.map(expressionText)
  const either = texts.map((text) => `${column} = ${text}`).join(' OR ')
  return `${either} is written ${column} IN (${texts.join(', ')})`
}

type Choice = {
  readonly column: string
  readonly values: readonly Expression[]
}

function choiceIn(where: Expression): Choice | undefined {
  if (where.kind !== 'logical') return undefined
  if (where.operator === 'AND') {
    for (const operand of where.operands) {
      const found = choiceIn(operand)
      if (found !== undefined) return found
    }
    return undefined
  }
  const equated = where.operands.slice(0, VALUES_MAX + 1).map(equation)
  const [first] = equated
  if (first === undefined || equated.length > VALUES_MAX) return undefined
  const values: Expression[] = []
  for (const each of equated) {
    if (each === undefined || each.column !== first.column) return undefined
    values.push(each.value)
  }
  return { column: first.column, values }
}

/** column = value, either way round. */
function equation(
  expression: Expression,
): { readonly column: string; readonly value: Expression } | undefined {
  if (expression.kind !== 'binary' || expression.rest.length !== 1) return undefined
  const [{ operator, operand } = { operator: '' }] = expression.rest
  if (operator !== '=' || operand === undefined) return undefined
  const [column, value] =
    expression.first.kind === 'column' ? [expression.first, operand] : [operand, expression.first]
  if (column.kind !== 'column') return undefined
  if (value.kind !== 'literal' && value.kind !== 'parameter') return undefined
  return { column: expressionText(column), value }
}
