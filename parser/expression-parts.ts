// SPDX-License-Identifier: Apache-2.0
import type { Expression } from './expression-ast.ts'

/** The expressions that this one is made of, from the left. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'literal':
    case 'parameter':
    case 'column':
      return []
    case 'aggregate':
      return [expression.operand, expression.filter].filter((part) => part !== undefined)
    case 'call':
      return expression.arguments
    case 'case': {
      const { operand, branches, otherwise } = expression
      return [
        ...(operand === undefined ? [] : [operand]),
        ...branches.flatMap(({ when, result }) => [when, result]),
        ...(otherwise === undefined ? [] : [otherwise]),
      ]
    }
    case 'cast':
    case 'unary':
    case 'isNull':
      return [expression.operand]
    case 'binary':
      return [expression.first, ...expression.rest.map(({ operand }) => operand)]
    case 'row':
      return expression.values
    case 'logical':
      return expression.operands
    case 'in': {
      const { operand, list } = expression
      return 'kind' in list ? [operand] : [operand, ...list]
    }
    case 'between':
      return [expression.operand, expression.lower, expression.upper]
    case 'like':
      return [expression.operand, expression.pattern]
  }
}
