// SPDX-License-Identifier: Apache-2.0
import type { Expression, ScanStatement } from '../../../parser/ast.ts'
import {
  type CompiledExpression,
  columnsOf,
  type ExpressionCompiler,
} from '../../expressions/compiled-expression.ts'
import { createExpressionCompiler } from '../../expressions/expression.ts'
import { compileAs } from '../../expressions/type-check.ts'
import { covers } from '../../keys/candidate-key.ts'
import { columnsWithin, type RowPart } from '../../row-parts.ts'
import type { PlannedLookup } from '../plan.ts'
import { filterOf } from '../row-filter.ts'
import { planRule } from '../row-rule.ts'
import { lookupKeyOf } from './lookup-key.ts'
import { splitWhere } from './split-where.ts'
import type { LookupTable, StatementTables } from './statement-tables.ts'

/** What is looked up for the rows of a statement, and what that needs of the rows themselves. */
export type PlannedLookups = {
  readonly lookups?: readonly PlannedLookup[]
  /** Positions of the columns of the first table that the statement looks at, apart from its own conditions. */
  readonly reads: ReadonlySet<number>
}

/**
 * `later` has the conditions of each look-up, as `splitWhere` puts them; `reads` are the columns of all tables that the
 * answer is made of. Throws PlanError.
 */
export function planLookups(
  compiler: ExpressionCompiler,
  { parts, lookups }: StatementTables,
  later: ReadonlyArray<readonly Expression[]>,
  reads: ReadonlySet<number>,
): PlannedLookups {
  if (lookups.length === 0) return { reads }
  const found = lookups.map((table) => keyedBy(compiler, table))
  const filters = later.map((sources) =>
    sources.map((source) => ({ source, filter: compileAs(compiler, source, 'BOOLEAN') })),
  )
  const all = columnsOf([
    { columns: reads },
    ...found.flatMap(({ values }) => values),
    ...filters.flat().map(({ filter }) => filter),
  ])
  const planned = lookups.map((table, number) => {
    const filter = filterOf(filters[number] ?? [])
    const looked = planLookup(compiler, table, { ...(found[number] as Keyed), number }, all)
    return filter === undefined ? looked : { ...looked, filter }
  })
  return { lookups: planned, reads: new Set(columnsWithin(parts[0] as RowPart, all)) }
}

type Keyed = Pick<PlannedLookup, 'key' | 'values' | 'sources'>
type Numbered = Keyed & Pick<PlannedLookup, 'number'>

/** The values may name the tables before, which the compiler sees as the statement does. */
function keyedBy(compiler: ExpressionCompiler, table: LookupTable): Keyed {
  const { key, equations } = lookupKeyOf(compiler, table)
  const before = compiler.parts.slice(0, compiler.parts.indexOf(table.part))
  const ofBefore = createExpressionCompiler(before, compiler.slots)
  const values = equations.map(
    ({ type, value }): CompiledExpression => compileAs(ofBefore, value, type),
  )
  return { key, values, sources: equations.map(({ source }) => source) }
}

function planLookup(
  compiler: ExpressionCompiler,
  { part, source, rule }: LookupTable,
  keyed: Numbered,
  all: ReadonlySet<number>,
): PlannedLookup {
  const { table } = part
  const rowRule = planRule(compiler, table, rule)
  const request = { columns: new Set(columnsWithin(part, all)) }
  const reads = [...columnsOf([request, ...(rowRule === undefined ? [] : [rowRule])])]
  return {
    part,
    table,
    ...keyed,
    isOptional: source.isOptional,
    reads: reads.sort((a, b) => a - b),
    covering: keyed.key.index !== undefined && covers(keyed.key, reads),
    ...(rowRule === undefined ? {} : { rowRule }),
  }
}

/** What is looked up for a SCAN, and what is left of it for the first table; `all` are the columns that it looks at. */
export function planScanLookups(
  compiler: ExpressionCompiler,
  tables: StatementTables,
  statement: ScanStatement,
  all: ReadonlySet<number>,
): PlannedLookups & { readonly own: ScanStatement; readonly filtersLater: boolean } {
  if (tables.lookups.length === 0) return { own: statement, reads: all, filtersLater: false }
  const { where, ...rest } = statement
  const { own, later } = splitWhere(tables.parts, where)
  const planned = planLookups(compiler, tables, later, all)
  const filtersLater = later.some(({ length }) => length > 0)
  return { ...planned, own: own === undefined ? rest : { ...rest, where: own }, filtersLater }
}
