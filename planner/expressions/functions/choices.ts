// SPDX-License-Identifier: Apache-2.0
import type { SqlType, SqlValue } from '../../../storage/values/values.ts'
import {
  type CompiledExpression,
  dependenceOf,
  nodeOf,
  type Scope,
} from '../compiled-expression.ts'
import { compileAlike, perhapsDecimal, typeMismatch } from '../type-check.ts'
import { comparisonOf } from '../value-work.ts'
import { NODE_UNITS } from '../work-meter.ts'
import { type Call, type Definitions, taking, takingAny } from './definition.ts'

export const CHOICE_FUNCTIONS: Definitions = {
  coalesce: takingAny(compileCoalesce),
  nullif: taking(2, 2, compileNullIf),
  least: takingAny((call) => compileExtreme(call, -1)),
  greatest: takingAny((call) => compileExtreme(call, 1)),
}

/**
 * The first argument that is not NULL; those after it are not evaluated. It needs a row only when
 * every argument does: an argument that does without is what to take when there is none.
 */
function compileCoalesce({ compiler, call, wanted }: Call): CompiledExpression {
  return perhapsDecimal(compileAlike(compiler, call.arguments, wanted), (type, parts) => {
    const evaluate = (scope: Scope): SqlValue => {
      for (const part of parts) {
        scope.work.spend(NODE_UNITS)
        const value = part.evaluate(scope)
        if (value !== null) return value
      }
      return null
    }
    const needsRow = parts.every((part) => part.needsRow)
    return { type, position: call.position, evaluate, ...dependenceOf(parts), needsRow }
  })
}

/** The smallest or the largest of the arguments; NULL when one of them is. */
function compileExtreme({ compiler, call, wanted }: Call, sign: -1 | 1): CompiledExpression {
  return perhapsDecimal(compileAlike(compiler, call.arguments, wanted), (type, parts) => {
    if (type === 'JSON') {
      throw typeMismatch(`JSON has no order, so there is no ${call.function} of it.`, call.position)
    }
    const compare = comparisonOf(type as SqlType)
    const evaluate = (scope: Scope): SqlValue => {
      const { work } = scope
      let best: SqlValue = null
      for (const part of parts) {
        work.spend(NODE_UNITS)
        const value = part.evaluate(scope)
        if (value === null) return null
        if (best === null || compare(value, best, work) * sign > 0) best = value
      }
      return best
    }
    return { type, position: call.position, evaluate, ...dependenceOf(parts) }
  })
}

/** NULL when the two are equal, else the first. */
function compileNullIf({ compiler, call, wanted }: Call): CompiledExpression {
  return perhapsDecimal(compileAlike(compiler, call.arguments, wanted), (type, parts) => {
    const [first, second] = parts as [CompiledExpression, CompiledExpression]
    const compare = comparisonOf(type as SqlType)
    return nodeOf(type, call.position, parts, (units) => (scope) => {
      scope.work.spend(units)
      const value = first.evaluate(scope)
      if (value === null) return null
      const other = second.evaluate(scope)
      return other !== null && compare(value, other, scope.work) === 0 ? null : value
    })
  })
}
