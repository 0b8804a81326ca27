// SPDX-License-Identifier: Apache-2.0
import type { Expression } from '../../parser/ast.ts'
import { conjunctText, expressionText } from '../expressions/expression-text.ts'
import { conjunctsOf } from '../keys/key-condition.ts'

/** What is better written otherwise, so that it bounds a key; undefined where nothing of the kind is there. */
export function whereHint(where: Expression | undefined): string | undefined {
  return eitherValueHint(where) ?? behindRowHint(conjunctsOf(where))
}

/**
 * `a < 1 OR (a = 1 AND b > 2)`, the rows behind one, is written `a <= 1 AND (a < 1 OR b > 2)`, which bounds a key by
 * `a`: a choice bounds none.
 */
export function behindRowHint(conjuncts: readonly Expression[]): string | undefined {
  const found = conjuncts.map(behindRow).find((each) => each !== undefined)
  return found && `${found.written} is written ${found.bounded}, which bounds ${found.column}`
}

function behindRow(condition: Expression) {
  if (condition.kind !== 'logical' || condition.operator !== 'OR') return undefined
  const [far, near, ...others] = condition.operands
  if (far?.kind !== 'binary' || near?.kind !== 'logical' || others.length > 0) return undefined
  if (near.operator !== 'AND' || far.first.kind !== 'column') return undefined
  const [comparison] = far.rest
  const operator = comparison?.operator ?? ''
  if (!/^[<>]=?$/.test(operator)) return undefined
  const [column, value] = [far.first, comparison?.operand].map((each) =>
    expressionText(each as Expression),
  )
  const [same, ...rest] = near.operands
  if (same === undefined || expressionText(same) !== `${column} = ${value}`) return undefined
  const strict = operator.charAt(0)
  const behind = rest.map(conjunctText).join(' AND ')
  const inner = rest.length > 1 ? `(${behind})` : behind
  return {
    column,
    written: `${expressionText(far)} OR (${near.operands.map(conjunctText).join(' AND ')})`,
    bounded: `${column} ${strict}= ${value} AND (${expressionText(far)} OR ${inner})`,
  }
}

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
