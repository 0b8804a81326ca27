// SPDX-License-Identifier: Apache-2.0
import type { Expression } from '../../parser/ast.ts'
import type { CompiledExpression } from '../expressions/compiled-expression.ts'
import { NODE_UNITS } from '../expressions/work-meter.ts'
import type { RowFilter } from './plan.ts'

/** Undefined without conditions. */
export function filterOf(
  parts: ReadonlyArray<{ readonly source: Expression; readonly filter: CompiledExpression }>,
): RowFilter | undefined {
  if (parts.length === 0) return undefined
  const filters = parts.map(({ filter }) => filter)
  return {
    // Like AND: a row stays only when no part is FALSE or unknown.
    keeps: (scope) => {
      for (const { evaluate } of filters) {
        scope.work.spend(NODE_UNITS)
        if (evaluate(scope) !== true) return false
      }
      return true
    },
    sources: parts.map(({ source }) => source),
  }
}
