// SPDX-License-Identifier: Apache-2.0
import type { Expression } from '../../parser/ast.ts'
import {
  type Catalog,
  keyPositions,
  type RowRule,
  type TableDefinition,
  type TableRight,
} from '../../storage/tables/tables.ts'
import {
  type CompiledExpression,
  columnsOf,
  type ExpressionCompiler,
  type Scope,
} from '../expressions/compiled-expression.ts'
import { createExpressionCompiler } from '../expressions/expression.ts'
import { compileAs } from '../expressions/type-check.ts'
import { NODE_UNITS } from '../expressions/work-meter.ts'
import { distinctConjunctsOf } from '../keys/key-condition.ts'
import { PlanError } from '../plan-error.ts'
import { rowOf } from '../row-parts.ts'

/** The condition that a text of the catalog says; it was one when it was granted. */
export type ParseRule = (text: string) => Expression

/** What rows have to meet for whoever asks, beside what the statement says. */
export type PlannedRule = {
  /** A row that the rule cannot be computed of is none of theirs. */
  readonly keeps: (scope: Scope) => boolean
  /** Places of the columns that it looks at. */
  readonly columns: ReadonlySet<number>
  /** Whether the primary key alone decides, so that no row is read for it. */
  readonly isByKey: boolean
  readonly sources: readonly Expression[]
}

/** The conditions that rows of the table have to meet for all of these rights; none where there is no rule. */
export function ruleConjuncts(
  { rights: held }: Pick<Catalog, 'rights'>,
  table: TableDefinition,
  rights: readonly TableRight[],
  parseRule: ParseRule,
): readonly Expression[] {
  const rules = rights.flatMap((right): readonly Expression[] => {
    const alternatives = held
      .rulesOn(table, right)
      ?.map((rule) => conditionOf(table, rule, parseRule))
    const [only, ...others] = alternatives ?? []
    if (only === undefined) return []
    return others.length === 0 ? [only] : [logical('OR', [only, ...others])]
  })
  // READ and WRITE mostly have the same rule, which is computed once.
  return rules.length === 0 ? [] : distinctConjunctsOf(logical('AND', rules))
}

function logical(operator: 'AND' | 'OR', operands: readonly Expression[]): Expression {
  return { kind: 'logical', operator, operands, position: NOWHERE }
}

/** Before a column of the rule was there, no row was any of theirs. */
function conditionOf(table: TableDefinition, rule: RowRule, parseRule: ParseRule): Expression {
  const known = new Set(table.columns.map(({ id }) => id))
  return rule.columns.every((id) => known.has(id)) ? parseRule(rule.text) : NEVER
}

const NOWHERE = { line: 1, column: 1, offset: 0 }
const NEVER: Expression = { kind: 'literal', type: 'boolean', value: false, position: NOWHERE }

/**
 * A condition of a rule as a filter; what it fails of, it does not keep. Alternatives fail each for itself: a row that
 * one grant shows is seen, whatever another one meets in it.
 */
export function compileRule(compiler: ExpressionCompiler, source: Expression): CompiledExpression {
  if (source.kind === 'logical' && source.operator === 'OR') {
    const alternatives = source.operands.map((operand) => compileRule(compiler, operand))
    return {
      type: 'BOOLEAN',
      position: source.position,
      evaluate: (scope) => alternatives.some(({ evaluate }) => evaluate(scope) === true),
      columns: columnsOf(alternatives),
      isLeaf: false,
      isConstant: false,
      needsRow: alternatives.some(({ needsRow }) => needsRow),
    }
  }
  const compiled = compileAs(compiler, source, 'BOOLEAN')
  return { ...compiled, evaluate: (scope) => isMet(compiled, scope) }
}

function isMet({ evaluate }: CompiledExpression, scope: Scope): boolean {
  try {
    scope.work.spend(NODE_UNITS)
    return evaluate(scope) === true
  } catch (error) {
    const isOfRow = error instanceof PlanError && error.code !== 'limit_exceeded'
    if (isOfRow) return false
    throw error
  }
}

/** Of rules: a statement may name the table otherwise, and have the columns of others. */
export function createRuleCompiler(
  { slots }: ExpressionCompiler,
  table: TableDefinition,
): ExpressionCompiler {
  return createExpressionCompiler(rowOf(table), slots)
}

/** `compiler` is that of the statement. Undefined where no rule is to be met. */
export function planRule(
  compiler: ExpressionCompiler,
  table: TableDefinition,
  conjuncts: readonly Expression[],
): PlannedRule | undefined {
  if (conjuncts.length === 0) return undefined
  const ruler = createRuleCompiler(compiler, table)
  const filters = conjuncts.map((source) => compileRule(ruler, source))
  const columns = columnsOf(filters)
  const key = new Set(keyPositions(table))
  return {
    keeps: (scope) => filters.every(({ evaluate }) => evaluate(scope) === true),
    columns,
    isByKey: [...columns].every((column) => key.has(column)),
    sources: conjuncts,
  }
}
