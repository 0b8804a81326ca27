// SPDX-License-Identifier: Apache-2.0
import type { BinaryExpression, Expression } from '../../parser/ast.ts'
import { jsonMembers, kindAt, type SqlValue, UNPAID } from '../../storage/values/values.ts'
import type { ExpressionCompiler, Scope } from '../expressions/compiled-expression.ts'
import { fixedValue, type KeyCondition, points, withoutNull } from './condition.ts'
import { membersOf } from './key-term.ts'

/** `tags ? 'x'`, and `tags @> '["x"]'` as far as its first member goes. */
export function ofMember(
  compiler: ExpressionCompiler,
  source: BinaryExpression,
): KeyCondition | undefined {
  const { operator, operand } = source.rest.at(-1) as BinaryExpression['rest'][number]
  if (operator !== '?' && operator !== '@>') return undefined
  const on = membersOf(compiler.parts, source)
  if (on === undefined) return undefined
  if (operator === '@>') {
    const [member] = membersIn(operand)
    if (member === undefined) return undefined
    const values = [member]
    return { ...points(on.term, source, { several: false, values: () => values }), exact: false }
  }
  const text = fixedValue(compiler, operand, 'TEXT')
  if (text === undefined) return undefined
  const value = {
    ...text,
    evaluate(scope: Scope): SqlValue {
      const requested = text.evaluate(scope)
      return requested === null ? null : JSON.stringify(requested)
    },
  }
  const values = (scope: Scope) => withoutNull([value.evaluate(scope)])
  return points(on.term, source, { several: false, value, values })
}

/** The members of an array that is written down; none of what is no array or no JSON. */
function membersIn(operand: Expression): Iterable<string> {
  if (operand.kind !== 'literal' || operand.type !== 'text') return []
  const text = operand.value.trim()
  if (kindAt(text, 0) !== 'array') return []
  try {
    JSON.parse(text)
  } catch {
    return []
  }
  return jsonMembers(text, UNPAID)
}
