// SPDX-License-Identifier: Apache-2.0
import type {
  AggregateExpression,
  ColumnExpression,
  Expression,
  ScanStatement,
} from '../../parser/ast.ts'
import { partsOf } from '../../parser/expression-parts.ts'
import type { SqlType, SqlValue } from '../../storage/values/values.ts'
import {
  type Aggregation,
  type CompiledExpression,
  columnsOf,
  type ExpressionCompiler,
  NO_COLUMNS,
} from '../expressions/compiled-expression.ts'
import { createExpressionCompiler } from '../expressions/expression.ts'
import { expressionText } from '../expressions/expression-text.ts'
import { compileAs } from '../expressions/type-check.ts'
import { type KeyTerm, termOf } from '../keys/key-term.ts'
import { PlanError } from '../plan-error.ts'
import type { RowPart } from '../row-parts.ts'
import { groupedBy, hasColumn, type Labelled, labelledOf } from '../sorting/labels.ts'
import { type AggregateDefinition, aggregateOf, ofDistinct } from './aggregate.ts'

/** How the rows of a SCAN become groups. */
export type AggregationPlan = {
  /** What has one value in a group; without any, all rows are one. */
  readonly parts: readonly GroupPart[]
  /** In the order of their slots, which come after those of the parts. */
  readonly aggregates: readonly PlannedAggregate[]
  /** Of the groups, those of which it is TRUE are answered. */
  readonly having?: { readonly condition: CompiledExpression; readonly source: Expression }
  /** Places of the columns that groups and operands look at. */
  readonly reads: ReadonlySet<number>
  /** The rows of a group do not follow each other on the walk, so all groups are held to its end. */
  readonly isHeld: boolean
  /**
   * The walk begins with the answer: in its first row, or in the first where the value is not NULL.
   * Absent when all rows have to be read.
   */
  readonly decidedBy?: 'firstRow' | 'firstValue'
}

/** One expression of the GROUP BY, or one of a projection that is DISTINCT. */
export type GroupPart = {
  readonly value: CompiledExpression
  readonly type: SqlType
  readonly source: Expression
  /** The place of the column that it is; absent for any other expression. */
  readonly column?: number
  /** What it is of a key; absent for what no key has. */
  readonly term?: KeyTerm
}

export type PlannedAggregate = AggregateDefinition & {
  readonly source: AggregateExpression
  /** Absent for COUNT(*). */
  readonly operand?: CompiledExpression
  /** What the operand is of a key. */
  readonly term?: KeyTerm
  /** Of the rows, those of which it is TRUE are taken. */
  readonly filter?: CompiledExpression
}

/** Whether a SCAN answers groups of rows instead of rows. */
export function isAggregating(statement: ScanStatement): boolean {
  const { distinct, groupBy, projection, orderBy } = statement
  if (distinct === true || groupBy.length > 0) return true
  return [...labelledOf(projection), ...orderBy].some(({ expression }) => {
    return holdsAggregate(expression)
  })
}

function holdsAggregate(expression: Expression): boolean {
  return expression.kind === 'aggregate' || partsOf(expression).some(holdsAggregate)
}

/** Collects the aggregates of a statement while its expressions are compiled. */
export class AggregationPlanning implements Aggregation {
  readonly groupBy: ReadonlySet<number>
  /** For expressions over groups; those inside of aggregates are over rows. */
  readonly compiler: ExpressionCompiler
  readonly #rows: ExpressionCompiler
  readonly #parts: readonly GroupPart[]
  readonly #slotOf: ReadonlyMap<string, number>
  readonly #aggregates: PlannedAggregate[] = []
  readonly #known = new Map<string, CompiledExpression>()
  #having: AggregationPlan['having']

  /** `projected` is the projection with each `*` written out. */
  constructor(rows: ExpressionCompiler, statement: ScanStatement, projected: readonly Labelled[]) {
    this.#rows = rows
    const sources = groupedBy(statement, projected, rows.parts)
    this.#parts = sources.map((source) => groupPart(rows, source))
    this.groupBy = new Set(this.#parts.flatMap(({ column }) => column ?? []))
    this.#slotOf = new Map(
      this.#parts.map(({ source }, slot) => [meaningOf(source, rows.parts), slot]),
    )
    this.compiler = createExpressionCompiler(rows.parts, rows.slots, this)
    if (hasStar(statement) && statement.distinct !== true) {
      throw starOfGroups(statement)
    }
  }

  compile(source: AggregateExpression): CompiledExpression {
    const text = expressionText(source)
    const known = this.#known.get(text)
    // Two calls of uuid() have two values.
    if (known !== undefined && !text.includes('uuid(')) return known
    const operand = source.operand && this.#rows.compile(source.operand)
    const type = operand?.type ?? 'NULL'
    const definition = aggregateOf(source, type)
    const meant = source.operand && termOf(this.#rows.parts, source.operand)
    const planned = {
      ...(source.distinct ? ofDistinct(definition, type) : definition),
      source,
      ...(operand && { operand }),
      ...(meant && { term: meant.term }),
      ...(source.filter && { filter: compileAs(this.#rows, source.filter, 'BOOLEAN') }),
    }
    const slot = this.#parts.length + this.#aggregates.push(planned) - 1
    const compiled = valueOfGroup(source, definition, slot)
    this.#known.set(text, compiled)
    return compiled
  }

  groupValue(expression: Expression): CompiledExpression | undefined {
    // A column is at hand in the row that stands for its group.
    if (expression.kind === 'column' || this.groupBy.size === this.#parts.length) return undefined
    const slot = this.#slotOf.get(meaningOf(expression, this.#rows.parts))
    const part = slot === undefined ? undefined : this.#parts[slot]
    return part && valueOfGroup(expression, part.value, slot as number)
  }

  /** Compiles the HAVING, where a label stands for its expression unless a column has its name. */
  planHaving(statement: ScanStatement): void {
    const { having: source } = statement
    if (source === undefined) return
    const labels = new LabelledAggregation(this, this.compiler, statement)
    const compiler = createExpressionCompiler(this.compiler.parts, this.compiler.slots, labels)
    this.#having = { condition: compileAs(compiler, source, 'BOOLEAN'), source }
  }

  /** When all expressions have been compiled. */
  plan(): Omit<AggregationPlan, 'isHeld'> {
    const looking = [
      ...this.#parts.map(({ value }) => value),
      ...this.#aggregates.flatMap(({ operand, filter }) => [operand ?? [], filter ?? []].flat()),
    ]
    return {
      parts: this.#parts,
      aggregates: this.#aggregates,
      ...(this.#having && { having: this.#having }),
      reads: columnsOf(looking),
    }
  }
}

/** What the projection calls by a label may be called so in the HAVING. */
class LabelledAggregation implements Aggregation {
  readonly groupBy: ReadonlySet<number>
  readonly #inner: Aggregation
  readonly #compiler: ExpressionCompiler
  readonly #labelled: ReadonlyMap<string, Expression>

  constructor(inner: Aggregation, compiler: ExpressionCompiler, { projection }: ScanStatement) {
    this.groupBy = inner.groupBy
    this.#inner = inner
    this.#compiler = compiler
    this.#labelled = new Map(
      labelledOf(projection).flatMap(({ label, expression }) =>
        hasColumn(compiler.parts, label) ? [] : [[label, expression]],
      ),
    )
  }

  compile(aggregate: AggregateExpression): CompiledExpression {
    return this.#inner.compile(aggregate)
  }

  groupValue(expression: Expression): CompiledExpression | undefined {
    const name = expression.kind === 'column' && !expression.qualifier ? expression.name : ''
    const meant = this.#labelled.get(name)
    return meant === undefined ? this.#inner.groupValue(expression) : this.#compiler.compile(meant)
  }
}

function groupPart(rows: ExpressionCompiler, source: Expression): GroupPart {
  const value = rows.compile(source)
  const meant = termOf(rows.parts, source)
  const type: SqlType = value.type === 'NULL' ? 'TEXT' : value.type
  if (meant === undefined) return { value, type, source }
  const { term, column } = meant
  return { value, type, source, term, ...(source.kind === 'column' && { column }) }
}

function valueOfGroup(
  { position }: Expression,
  { type }: Pick<CompiledExpression, 'type'>,
  slot: number,
): CompiledExpression {
  return {
    type,
    position,
    evaluate: ({ aggregates }) => aggregates?.[slot] as SqlValue,
    columns: NO_COLUMNS,
    isLeaf: true,
    isConstant: false,
    needsRow: false,
  }
}

function hasStar({ projection }: ScanStatement): boolean {
  if (projection.kind === 'allColumns') return true
  return projection.items.some(({ kind }) => kind === 'columnsOf')
}

function starOfGroups({ groupBy, position }: ScanStatement): PlanError {
  const names = groupBy.map(expressionText).join(', ')
  return new PlanError('invalid_request', 'A group of rows has no *.', {
    position,
    hint: `Name the columns of the GROUP BY and aggregates, such as: SCAN ${names}, COUNT(*) FROM …`,
  })
}

/**
 * The same for expressions that mean the same because they are written alike, wherever they stand, and whether or not
 * their columns have their table before them.
 */
function meaningOf(expression: Expression, parts: readonly RowPart[]): string {
  return JSON.stringify(expression, (name, value: unknown) => {
    if (name === 'position') return undefined
    if (typeof value === 'bigint') return { integer: String(value) }
    if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('hex') }
    return isColumn(value) ? columnMeant(value, parts) : value
  })
}

function isColumn(value: unknown): value is ColumnExpression {
  return typeof value === 'object' && (value as Partial<ColumnExpression> | null)?.kind === 'column'
}

/** A name that is none of a column, or of several, is told of where it is compiled. */
function columnMeant({ qualifier, name }: ColumnExpression, parts: readonly RowPart[]): unknown {
  const found = parts.flatMap((part) => {
    const isAsked =
      qualifier === undefined ? part.isQualifiedOnly !== true : part.name === qualifier
    const index = isAsked ? part.table.columns.findIndex((column) => column.name === name) : -1
    return index < 0 ? [] : [part.offset + index]
  })
  return { column: found.length === 1 ? found[0] : [qualifier, name] }
}
