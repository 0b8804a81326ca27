// SPDX-License-Identifier: Apache-2.0
import type {
  AggregateExpression,
  ColumnExpression,
  Expression,
  LiteralExpression,
  LogicalExpression,
  ParameterExpression,
  Position,
  UnaryExpression,
} from '../../parser/ast.ts'
import {
  Decimal,
  isIntegerInRange,
  type SqlType,
  type SqlValue,
} from '../../storage/values/values.ts'
import { checkedDecimal, readDecimal } from '../json/decimal-text.ts'
import { checkedInteger, isTextual, valueFromText } from '../json/json-value.ts'
import { PlanError } from '../plan-error.ts'
import { columnAt, type RowPart, requireColumnOf } from '../row-parts.ts'
import {
  type Aggregation,
  type CompiledExpression,
  dependenceOf,
  type ExpressionCompiler,
  type ExpressionType,
  NO_COLUMNS,
  nodeOf,
  type Scope,
} from './compiled-expression.ts'
import { compileArithmetic } from './expression-arithmetic.ts'
import { compileCase, compileCast } from './expression-case.ts'
import {
  compileBetween,
  compileComparison,
  compileIn,
  compileIsNull,
  isComparison,
} from './expression-comparison.ts'
import { nameText } from './expression-text.ts'
import { compileCall } from './functions/functions.ts'
import { compileLike } from './like-pattern.ts'
import { compileMatch, isMatch } from './match-pattern.ts'
import { ParameterSlots, parameterText } from './parameters.ts'
import { loneRow } from './row-values.ts'
import { compileAs, isNumber, perhapsDecimal, typeMismatch } from './type-check.ts'
import { NODE_UNITS } from './work-meter.ts'

/**
 * Expressions of the syntax tree become functions of a row. All types are checked here, before any
 * row is read; what is left for the evaluation to refuse is overflow and division by zero.
 */
export function createExpressionCompiler(
  parts: readonly RowPart[] = [],
  slots = new ParameterSlots(),
  aggregation?: Aggregation,
): ExpressionCompiler {
  const compiler: ExpressionCompiler = {
    parts,
    slots,
    ...(aggregation === undefined ? {} : { aggregation }),
    compile: (expression, wanted) =>
      aggregation?.groupValue(expression) ??
      onceAStatement(compiler, compile(compiler, expression, wanted)),
  }
  return compiler
}

/**
 * The expression, computed for the first row that asks for it and kept for the others, where its value is the same
 * for all of them. VALUES have no rows that could share it.
 */
function onceAStatement(
  compiler: ExpressionCompiler,
  compiled: CompiledExpression,
): CompiledExpression {
  const { slots, parts } = compiler
  if (parts.length === 0 || compiled.isLeaf || !compiled.isConstant) return compiled
  const slot = slots.addConstant()
  const evaluate = (scope: Scope): SqlValue => {
    const known = scope.constants.get(slot)
    if (known !== undefined) return known
    const value = compiled.evaluate(scope)
    scope.constants.keep(slot, value)
    return value
  }
  const { asDecimal } = compiled
  const exactly = asDecimal && (() => onceAStatement(compiler, asDecimal()))
  return { ...compiled, evaluate, ...(exactly && { asDecimal: exactly }) }
}

function compile(
  compiler: ExpressionCompiler,
  expression: Expression,
  wanted: ExpressionType | undefined,
): CompiledExpression {
  switch (expression.kind) {
    case 'literal':
      return compileLiteral(expression, wanted)
    case 'parameter':
      return compileParameter(compiler, expression, wanted)
    case 'column':
      return compileColumn(compiler, expression)
    case 'call':
      return compileCall(compiler, expression, wanted)
    case 'aggregate':
      return compileAggregate(compiler, expression)
    case 'case':
      return compileCase(compiler, expression, wanted)
    case 'cast':
      return compileCast(compiler, expression)
    case 'unary':
      return compileUnary(compiler, expression, wanted)
    case 'binary':
      if (isComparison(expression)) return compileComparison(compiler, expression)
      if (isMatch(expression)) return compileMatch(compiler, expression)
      return compileArithmetic(compiler, expression, wanted)
    case 'row':
      throw loneRow(expression.position)
    case 'logical':
      return compileLogical(compiler, expression)
    case 'in':
      return compileIn(compiler, expression)
    case 'between':
      return compileBetween(compiler, expression)
    case 'like':
      return compileLike(compiler, expression)
    case 'isNull':
      return compileIsNull(compiler, expression)
  }
}

function compileLiteral(
  literal: LiteralExpression,
  wanted: ExpressionType | undefined,
): CompiledExpression {
  const where = { position: literal.position }
  switch (literal.type) {
    case 'null':
      return constant(literal, wanted ?? 'NULL', null)
    case 'boolean':
      return constant(literal, 'BOOLEAN', literal.value)
    case 'bytes':
      return constant(literal, 'BYTES', literal.value)
    case 'integer':
      return wholeNumber(literal, literal.value, wanted)
    case 'real':
      if (Number.isFinite(literal.value)) {
        const asDecimal = () => constant(literal, 'DECIMAL', decimalOfLiteral(literal.text, where))
        return { ...constant(literal, 'REAL', literal.value), asDecimal }
      }
      throw new PlanError('out_of_range', 'The number is too large for REAL.', where)
    case 'text':
      if (isTextual(wanted)) {
        return constant(literal, wanted, valueFromText(wanted, literal.value, where))
      }
      if (literal.value.isWellFormed()) return constant(literal, 'TEXT', literal.value)
      throw typeMismatch('TEXT must be well-formed Unicode.', literal.position)
  }
}

/** An INTEGER; where a DECIMAL is wanted it may have more digits. Throws PlanError out_of_range. */
function wholeNumber(
  literal: Expression,
  value: bigint,
  wanted: ExpressionType | undefined,
): CompiledExpression {
  const where = { position: literal.position }
  if (wanted === 'DECIMAL' && !isIntegerInRange(value)) {
    return constant(literal, wanted, checkedDecimal(new Decimal(value, 0), where))
  }
  return constant(literal, 'INTEGER', checkedInteger(value, where))
}

/** Throws PlanError out_of_range. */
function decimalOfLiteral(text: string, where: { readonly position: Position }): Decimal {
  return readDecimal(text, where) as Decimal
}

function constant(literal: Expression, type: ExpressionType, value: SqlValue): CompiledExpression {
  const { position } = literal
  return { type, position, evaluate: () => value, given: { literal: value }, ...CONSTANT_LEAF }
}

const CONSTANT_LEAF = {
  columns: NO_COLUMNS,
  isLeaf: true,
  isConstant: true,
  needsRow: false,
} as const

function compileParameter(
  compiler: ExpressionCompiler,
  parameter: ParameterExpression,
  wanted: ExpressionType | undefined,
): CompiledExpression {
  const { key, position, readType } = parameter
  const type = (readType as SqlType | undefined) ?? wanted
  if (type === undefined || type === 'NULL') {
    throw new PlanError(
      'type_mismatch',
      `Nothing here tells the type of the parameter ${parameterText(key)}.`,
      { position, hint: 'A parameter takes the type of the column or value it meets.' },
    )
  }
  const variable = readType === undefined ? {} : ({ isVariable: true } as const)
  const slot = compiler.slots.add({ key, type, list: false, position, ...variable })
  const evaluate = (scope: Scope): SqlValue => {
    const bound = scope.parameters[slot]
    return bound?.kind === 'value' ? bound.value : null
  }
  return { type, position, evaluate, given: { slot }, ...CONSTANT_LEAF }
}

function compileColumn(compiler: ExpressionCompiler, column: ColumnExpression): CompiledExpression {
  const { name, position } = column
  if (compiler.parts.length === 0) {
    throw new PlanError('invalid_request', `No column can be named here, and ${name} is one.`, {
      position,
      hint: `For a text, write '${name}' in single quotes.`,
      fields: { column: name },
    })
  }
  const index = requireColumnOf(compiler.parts, column)
  requireOneValue(compiler, index, column)
  const { type } = columnAt(compiler.parts, index)
  const evaluate = (scope: Scope): SqlValue => scope.row[index] as SqlValue
  const columns = new Set([index])
  return { type, position, evaluate, columns, isLeaf: true, isConstant: false, needsRow: true }
}

/** Outside of aggregates, an expression over groups sees what is the same in all rows of a group. */
function requireOneValue(
  { aggregation }: ExpressionCompiler,
  index: number,
  { name, position }: ColumnExpression,
): void {
  if (aggregation === undefined || aggregation.groupBy.has(index)) return
  throw new PlanError(
    'invalid_request',
    `The column ${name} has a value for each row and cannot stand next to aggregates.`,
    {
      position,
      hint: `Name it in GROUP BY, or aggregate it, for example MIN(${nameText(name)}).`,
      fields: { column: name },
    },
  )
}

/** The parser lets aggregates through where groups are, and only there. */
function compileAggregate(
  { aggregation }: ExpressionCompiler,
  aggregate: AggregateExpression,
): CompiledExpression {
  if (aggregation !== undefined) return aggregation.compile(aggregate)
  throw new PlanError('invalid_request', 'An aggregate stands in the projection of a SCAN.', {
    position: aggregate.position,
  })
}

function compileUnary(
  compiler: ExpressionCompiler,
  unary: UnaryExpression,
  wanted: ExpressionType | undefined,
): CompiledExpression {
  const { operator, operand, position } = unary
  if (operator === 'NOT') {
    const part = compileAs(compiler, operand, 'BOOLEAN')
    return nodeOf('BOOLEAN', position, [part], (units) => (scope) => {
      scope.work.spend(units)
      return negated(part.evaluate(scope))
    })
  }
  // The smallest INTEGER has no positive counterpart, so its sign belongs to the literal.
  if (operator === '-' && operand.kind === 'literal' && operand.type === 'integer') {
    return wholeNumber(unary, -operand.value, wanted)
  }
  const part = compiler.compile(operand, wanted)
  if (!isNumber(part.type) && part.type !== 'NULL') {
    throw typeMismatch(`The sign ${operator} wants a number, and this is ${part.type}.`, position)
  }
  if (operator === '+') return { ...part, position }
  return perhapsDecimal({ type: part.type, parts: [part] }, (type, [signed = part]) =>
    nodeOf(type, position, [signed], (units) => (scope) => {
      scope.work.spend(units)
      return opposite(signed.evaluate(scope))
    }),
  )

  function opposite(value: SqlValue): SqlValue {
    if (value === null) return null
    if (typeof value === 'bigint') return checkedInteger(-value, { position })
    if (value instanceof Decimal) return new Decimal(-value.units, value.scale)
    return 0 - (value as number)
  }
}

function negated(value: SqlValue): SqlValue {
  return value === null ? null : value !== true
}

/**
 * Three-valued AND and OR: FALSE decides an AND and TRUE an OR, whatever is unknown on the other side; the
 * operands after the deciding one are not evaluated.
 */
function compileLogical(
  compiler: ExpressionCompiler,
  logical: LogicalExpression,
): CompiledExpression {
  const parts = logical.operands.map((operand) => compileAs(compiler, operand, 'BOOLEAN'))
  const deciding = logical.operator === 'OR'
  const evaluate = (scope: Scope): SqlValue => {
    let unknown = false
    for (const part of parts) {
      scope.work.spend(NODE_UNITS)
      const value = part.evaluate(scope)
      if (value === deciding) return deciding
      if (value === null) unknown = true
    }
    return unknown ? null : !deciding
  }
  return { type: 'BOOLEAN', position: logical.position, evaluate, ...dependenceOf(parts) }
}
