// SPDX-License-Identifier: Apache-2.0
import type { TableDefinition } from '../../storage/tables/tables.ts'
import type { ExpressionCompiler, Scope } from '../expressions/compiled-expression.ts'
import { nameText } from '../expressions/expression-text.ts'
import { compileAs } from '../expressions/type-check.ts'
import { NODE_UNITS } from '../expressions/work-meter.ts'
import { createRuleCompiler, type ParseRule } from './row-rule.ts'

/** What the rows of a table have to meet, whoever writes them. */
export type PlannedCheck = {
  readonly name: string
  readonly text: string
  /**
   * Whether the statement assigns a column that it names: a row that was there meets the others already. All that it
   * names is of the key or of that column's family, which a SET reads as a whole.
   */
  readonly isConcerned: boolean
  /** False of a row that fails it: NULL does not. Throws as an expression does. */
  readonly isMet: (scope: Scope) => boolean
}

/** `positive (n > 0)`, as people are told of it. */
export function checkText({ name, text }: Pick<PlannedCheck, 'name' | 'text'>): string {
  return `${nameText(name)} (${text})`
}

/**
 * The checks of the table; `assigned` are places of columns, all of them in a new row. `compiler` is that of the
 * statement: one run computes what is the same for all rows once, and tells the constants of both apart by its numbers.
 */
export function planChecks(
  compiler: ExpressionCompiler,
  table: TableDefinition,
  parseRule: ParseRule,
  assigned?: readonly number[],
): readonly PlannedCheck[] {
  const ofRow = createRuleCompiler(compiler, table)
  return table.checks.map(({ name, text }) => {
    const { columns, evaluate } = compileAs(ofRow, parseRule(text), 'BOOLEAN')
    return {
      name,
      text,
      isConcerned: assigned === undefined || assigned.some((column) => columns.has(column)),
      isMet: (scope) => {
        scope.work.spend(NODE_UNITS)
        return evaluate(scope) !== false
      },
    }
  })
}
