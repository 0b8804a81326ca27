// SPDX-License-Identifier: Apache-2.0

import type {
  CaseExpression,
  ColumnExpression,
  Expression,
  Into,
  LiteralExpression,
  Lookup,
  Projection,
  RowExpression,
} from '../../parser/ast.ts'
import { shownName } from '../../parser/completion/shown-name.ts'
import { DAY_MICROS, typeText } from '../../storage/values/values.ts'
import { parameterText } from './parameters.ts'

/** An expression in the dialect's own words, for EXPLAIN. Chains inside others are in parentheses. */
export function expressionText(expression: Expression): string {
  switch (expression.kind) {
    case 'literal':
      return literalText(expression)
    case 'parameter':
      return parameterText(expression.key)
    case 'column':
      return columnText(expression)
    case 'call':
      return `${expression.function}(${expression.arguments.map(expressionText).join(', ')})`
    case 'aggregate': {
      const { operand, distinct, filter } = expression
      const of = operand === undefined ? '*' : expressionText(operand)
      const filtered = filter === undefined ? '' : ` FILTER (WHERE ${expressionText(filter)})`
      return `${expression.function.toUpperCase()}(${distinct ? 'DISTINCT ' : ''}${of})${filtered}`
    }
    case 'case':
      return caseText(expression)
    case 'cast': {
      const { operand, types } = expression
      const text = operand.kind === 'cast' ? `(${expressionText(operand)})` : operandText(operand)
      return `${text}${types.map(({ text: type, size }) => `::${typeText(type, size)}`).join('')}`
    }
    case 'unary': {
      const space = expression.operator === 'NOT' ? ' ' : ''
      return `${expression.operator}${space}${operandText(expression.operand)}`
    }
    case 'binary':
      return [
        operandText(expression.first),
        ...expression.rest.map((rest) => `${rest.operator} ${operandText(rest.operand)}`),
      ].join(' ')
    case 'row':
      return rowText(expression)
    case 'logical':
      return expression.operands.map(operandText).join(` ${expression.operator} `)
    case 'in':
    case 'between':
    case 'like':
    case 'isNull':
      return predicateText(expression)
  }
}

/** The same between ANDs: a chain of OR must not be read as parts of theirs. */
export function conjunctText(expression: Expression): string {
  const text = expressionText(expression)
  return expression.kind === 'logical' ? `(${text})` : text
}

export function columnText({
  qualifier,
  name,
}: Pick<ColumnExpression, 'qualifier' | 'name'>): string {
  return qualifier === undefined ? nameText(name) : `${nameText(qualifier)}.${nameText(name)}`
}

function caseText({ operand, branches, otherwise }: CaseExpression): string {
  const parts = branches.map(
    ({ when, result }) => `WHEN ${expressionText(when)} THEN ${expressionText(result)}`,
  )
  const first = operand === undefined ? '' : ` ${expressionText(operand)}`
  const last = otherwise === undefined ? '' : ` ELSE ${expressionText(otherwise)}`
  return `CASE${first} ${parts.join(' ')}${last} END`
}

/** `orders AS o` */
export function tableText({ table, alias }: Pick<Lookup, 'table' | 'alias'>): string {
  const name = nameText(table.text)
  return alias === undefined ? name : `${name} AS ${nameText(alias.text)}`
}

/** What is read: `*`, `o.*, a + 1 AS b`. */
export function projectionText(projection: Projection): string {
  if (projection.kind === 'allColumns') return '*'
  const items = projection.items.map((item) => {
    if (item.kind === 'columnsOf') return `${nameText(item.qualifier.text)}.*`
    const { expression } = item
    const text = expressionText(expression)
    const name = expression.kind === 'column' ? expression.name : text
    return item.label === name ? text : `${text} AS ${nameText(item.label)}`
  })
  return items.join(', ')
}

/** INTO :name, … with a space before it, or nothing. */
export function intoText(into: Into | undefined): string {
  return into === undefined ? '' : ` INTO ${into.names.map(({ text }) => `:${text}`).join(', ')}`
}

export function lookupText(lookup: Lookup): string {
  const optional = lookup.isOptional ? ' OPTIONAL' : ''
  return `LOOKUP ${tableText(lookup)} BY ${expressionText(lookup.by)}${optional}`
}

function predicateText(
  expression: Extract<Expression, { kind: 'in' | 'between' | 'like' | 'isNull' }>,
): string {
  const operand = operandText(expression.operand)
  const not = expression.negated ? 'NOT ' : ''
  switch (expression.kind) {
    case 'in': {
      const list =
        'kind' in expression.list
          ? expressionText(expression.list)
          : `(${expression.list.map(expressionText).join(', ')})`
      return `${operand} ${not}IN ${list}`
    }
    case 'between': {
      const bounds = `${operandText(expression.lower)} AND ${operandText(expression.upper)}`
      return `${operand} ${not}BETWEEN ${bounds}`
    }
    case 'like':
      return `${operand} ${not}LIKE ${operandText(expression.pattern)}`
    case 'isNull':
      return `${operand} IS ${not}NULL`
  }
}

/** A name as it must be written: in quotes unless it is a plain identifier. */
export const nameText = shownName

const SIMPLE: ReadonlySet<Expression['kind']> = new Set([
  ...(['literal', 'parameter', 'column', 'call', 'case', 'cast', 'row'] as const),
])

function operandText(expression: Expression): string {
  const simple = SIMPLE.has(expression.kind)
  return simple ? expressionText(expression) : `(${expressionText(expression)})`
}

function rowText({ values }: Pick<RowExpression, 'values'>): string {
  return `(${values.map(expressionText).join(', ')})`
}

function literalText(literal: LiteralExpression): string {
  switch (literal.type) {
    case 'null':
      return 'NULL'
    case 'boolean':
      return literal.value ? 'TRUE' : 'FALSE'
    case 'integer':
      return literal.isInterval ? intervalText(literal.value) : literal.value.toString()
    case 'real':
      return literal.text
    case 'text':
      return `'${literal.value.replaceAll("'", "''")}'`
    case 'bytes':
      return `x'${Buffer.from(literal.value).toString('hex')}'`
  }
}

/** Beside a DATE it is not the INTEGER that it is elsewhere. */
function intervalText(micros: bigint): string {
  const inDay = micros % DAY_MICROS
  return inDay === 0n
    ? `INTERVAL '${micros / DAY_MICROS} days'`
    : `INTERVAL '${micros} microseconds'`
}

/** A REAL as it is written, to the last digit: never as an INTEGER, which ends at 64 bits. */
export function realText(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? `${value}.0` : value.toString()
}
