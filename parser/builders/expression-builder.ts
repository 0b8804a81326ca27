// SPDX-License-Identifier: Apache-2.0

import type {
  BinaryExpression,
  BinaryOperator,
  CaseExpression,
  ColumnExpression,
  Expression,
  UnaryExpression,
} from '../ast.ts'
import { isCast } from '../grammar/expression-grammar.ts'
import type * as cst from '../grammar/grammar-cst.gen.ts'
import { QuotedIdentifier } from '../grammar/tokens.ts'
import { buildAggregate, isAggregate } from './aggregates.ts'
import { buildCast, buildCasts } from './conversions.ts'
import { only, positionOfNode, positionOfToken } from './cst-position.ts'
import { type Addend, buildAddedInterval, buildInterval, withMonths } from './interval.ts'
import { buildLiteral, buildParameter, nameText } from './literal.ts'

/** One function for each rule of the grammar's expressions, in the same order. */
export function buildExpression(node: cst.ExpressionCstNode): Expression {
  const operands = node.children.conjunction
  if (operands.length === 1) return buildConjunction(only(operands))
  return {
    kind: 'logical',
    operator: 'OR',
    operands: operands.map(buildConjunction),
    position: positionOfNode(node),
  }
}

export function buildConjunction(node: cst.ConjunctionCstNode): Expression {
  const operands = node.children.negation
  if (operands.length === 1) return buildNegation(only(operands))
  return {
    kind: 'logical',
    operator: 'AND',
    operands: operands.map(buildNegation),
    position: positionOfNode(node),
  }
}

function buildNegation(node: cst.NegationCstNode): Expression {
  const operand = buildPredicate(only(node.children.predicate))
  return withPrefixes(node.children.NOT, operand)
}

function buildPredicate(node: cst.PredicateCstNode): Expression {
  const operand = buildSum(only(node.children.sum))
  const tail = node.children.predicateTail
  return tail === undefined ? operand : buildPredicateTail(only(tail), operand, node)
}

function buildPredicateTail(
  { children }: cst.PredicateTailCstNode,
  operand: Expression,
  predicate: cst.PredicateCstNode,
): Expression {
  const position = positionOfNode(predicate)
  if (children.comparisonTail !== undefined) {
    const tail = only(children.comparisonTail).children
    const rest = restOf(tail, tail.sum, buildSum)
    return memberOf(operand, rest) ?? compared({ kind: 'binary', first: operand, rest, position })
  }
  if (children.isNullTail !== undefined) {
    const negated = only(children.isNullTail).children.NOT !== undefined
    return { kind: 'isNull', negated, operand, position }
  }
  const negated = children.NOT !== undefined
  if (children.inTail !== undefined) {
    return { kind: 'in', negated, operand, list: buildInList(only(children.inTail)), position }
  }
  if (children.betweenTail !== undefined) {
    const [lower, upper] = only(children.betweenTail).children.sum.map(buildSum)
    return {
      kind: 'between',
      negated,
      operand,
      lower: lower as Expression,
      upper: upper as Expression,
      position,
    }
  }
  if (children.matchTail !== undefined) {
    const pattern = buildSum(only(only(children.matchTail).children.sum))
    const rest = [{ operator: 'MATCH' as const, operand: pattern, position: pattern.position }]
    const match: BinaryExpression = { kind: 'binary', first: operand, rest, position }
    return negated ? { kind: 'unary', operator: 'NOT', operand: match, position } : match
  }
  const pattern = buildSum(only(only(children.likeTail).children.sum))
  return { kind: 'like', negated, operand, pattern, position }
}

/** `a = ANY (tags)` is `tags ? a`. A list is asked by IN. */
function memberOf(
  operand: Expression,
  [comparison]: BinaryExpression['rest'],
): BinaryExpression | undefined {
  const any = comparison?.operand
  if (comparison?.operator !== '=' || any?.kind !== 'call' || any.function !== 'any')
    return undefined
  const [json, another] = any.arguments
  const isList = json?.kind === 'parameter' || json?.kind === 'literal'
  if (json === undefined || another !== undefined || isList) return undefined
  const { position } = comparison
  return { kind: 'binary', first: json, rest: [{ operator: '?', operand, position }], position }
}

/** Rows are equal where all of their values are. */
function compared(comparison: BinaryExpression): Expression {
  const { first, rest, position } = comparison
  const { operator, operand } = rest[0] as RestPart
  if (operator !== '=' && operator !== '<>') return comparison
  if (first.kind !== 'row' || operand.kind !== 'row') return comparison
  if (first.values.length !== operand.values.length) return comparison
  const operands = first.values.map(
    (value, index): Expression => ({
      kind: 'binary',
      first: value,
      rest: [{ ...(rest[0] as RestPart), operand: operand.values[index] as Expression }],
      position: value.position,
    }),
  )
  return { kind: 'logical', operator: operator === '=' ? 'AND' : 'OR', operands, position }
}

function buildInList({ children }: cst.InTailCstNode) {
  if (children.Parameter !== undefined) return buildParameter(only(children.Parameter))
  return (children.expression ?? []).map(buildExpression)
}

function buildSum(node: cst.SumCstNode): Expression {
  const [first, ...others] = node.children.product
  const firstTerm = buildProduct(first as cst.ProductCstNode)
  if (others.length === 0) return firstTerm
  const rest = addendsOf(node.children, others)
  const position = positionOfNode(node)
  if (rest.every(isSigned)) return sumOf(firstTerm, rest, position)
  // + and - bind tighter than the others: a -> b + 1 || c has the parts a, b + 1 and c.
  const terms: Array<{ readonly first: Expression; readonly rest: Addend[] }> = [
    { first: firstTerm, rest: [] },
  ]
  const loose: RestPart[] = []
  for (const part of rest) {
    if (isSigned(part)) terms.at(-1)?.rest.push(part)
    else {
      loose.push(part)
      terms.push({ first: part.operand, rest: [] })
    }
  }
  const [head, ...operands] = terms.map((term) =>
    term.rest.length === 0 ? term.first : sumOf(term.first, term.rest, term.first.position),
  )
  const joined = loose.map((part, index) => ({ ...part, operand: operands[index] as Expression }))
  return chain(head as Expression, joined, position)
}

function isSigned({ operator }: Pick<RestPart, 'operator'>): boolean {
  return operator === '+' || operator === '-'
}

function addendsOf(
  children: cst.SumCstChildren,
  operands: readonly cst.ProductCstNode[],
): readonly Addend[] {
  return (children.AdditiveOperator ?? []).map((token, index) => {
    const operator = token.image as BinaryOperator
    const operand = operands[index] as cst.ProductCstNode
    const added = isSigned({ operator }) ? buildAddedInterval(operand) : undefined
    return {
      operator,
      position: positionOfToken(token),
      ...(added ?? { operand: buildProduct(operand) }),
    }
  })
}

function sumOf(
  first: Expression,
  rest: readonly Addend[],
  position: BinaryExpression['position'],
): Expression {
  return withMonths(first, rest, (before, added) => chain(before, added, position))
}

type RestPart = BinaryExpression['rest'][number]

function chain(
  first: Expression,
  rest: readonly RestPart[],
  position: BinaryExpression['position'],
): BinaryExpression {
  return { kind: 'binary', first, rest, position }
}

function buildProduct(node: cst.ProductCstNode): Expression {
  const [first, ...others] = node.children.factor
  const firstFactor = buildFactor(first as cst.FactorCstNode)
  if (others.length === 0) return firstFactor
  return {
    kind: 'binary',
    first: firstFactor,
    rest: restOf(node.children, others, buildFactor),
    position: positionOfNode(node),
  }
}

type OperatorTokens = {
  readonly MultiplicativeOperator?: cst.ProductCstChildren['MultiplicativeOperator']
  readonly ComparisonOperator?: cst.ComparisonTailCstChildren['ComparisonOperator']
}

/** The operators of a chain, each with the operand after it: there is one of each. */
function restOf<Node>(
  children: OperatorTokens,
  operands: readonly Node[],
  build: (node: Node) => Expression,
) {
  const operators = children.MultiplicativeOperator ?? children.ComparisonOperator
  return (operators ?? []).map((token, index) => ({
    operator: (token.image === '!=' ? '<>' : token.image) as BinaryOperator,
    operand: build(operands[index] as Node),
    position: positionOfToken(token),
  }))
}

function buildFactor(node: cst.FactorCstNode): Expression {
  return withPrefixes(node.children.Sign, buildOperand(only(node.children.operand)))
}

/** `- - a` is the minus of the minus of a: the last operator written applies first. */
export function withPrefixes(
  prefixes: cst.FactorCstChildren['Sign'],
  operand: Expression,
): Expression {
  return (prefixes ?? []).reduceRight<Expression>(
    (inner, token) => ({
      kind: 'unary',
      operator: token.image.toUpperCase() as UnaryExpression['operator'],
      operand: inner,
      position: positionOfToken(token),
    }),
    operand,
  )
}

function buildOperand(node: cst.OperandCstNode): Expression {
  return buildCasts(buildValue(node), node.children.castTail)
}

function buildValue(node: cst.OperandCstNode): Expression {
  const { children } = node
  if (children.Literal !== undefined) return buildLiteral(only(children.Literal))
  if (children.Parameter !== undefined) return buildParameter(only(children.Parameter))
  if (children.columnOrCall !== undefined) return buildColumnOrCall(only(children.columnOrCall))
  if (children.interval !== undefined) return buildInterval(only(children.interval))
  if (children.caseParts !== undefined) {
    return buildCase(only(children.caseParts), positionOfNode(node))
  }
  const values = (children.expression ?? []).map(buildExpression)
  const [single, ...others] = values
  if (single !== undefined && others.length === 0) return single
  return { kind: 'row', values, position: positionOfNode(node) }
}

function buildCase(
  { children }: cst.CasePartsCstNode,
  position: CaseExpression['position'],
): CaseExpression {
  const hasElse = children.ELSE !== undefined
  const values = (children.expression ?? []).map(buildExpression)
  const otherwise = hasElse ? values.pop() : undefined
  const [operand] = values
  const branches = children.caseBranch.map((branch) => {
    const [when, result] = branch.children.expression.map(buildExpression)
    return { when: when as Expression, result: result as Expression }
  })
  return {
    kind: 'case',
    ...(operand === undefined ? {} : { operand }),
    branches,
    ...(otherwise === undefined ? {} : { otherwise }),
    position,
  }
}

function buildColumnOrCall(node: cst.ColumnOrCallCstNode): Expression {
  const { children } = node
  if (children.callArguments === undefined) return buildColumnReference({ children })
  const token = only(children.Name)
  const { expression, Star, castType } = only(children.callArguments).children
  const operands = (expression ?? []).map(buildExpression)
  const call = {
    kind: 'call',
    function: nameText(token).toLowerCase(),
    arguments: operands,
    position: positionOfToken(token),
  } as const
  const marks = {
    star: Star?.[0],
    distinct: only(children.callArguments).children.DISTINCT?.[0],
    filter: filterOf(children.filterClause?.[0]),
  }
  const isOfGroup = Object.values(marks).some((mark) => mark !== undefined)
  if (isAggregate(call.function) || isOfGroup) return buildAggregate(call, marks)
  return isCast(token.image) ? buildCast(token, operands, castType) : call
}

function filterOf(node: cst.FilterClauseCstNode | undefined): Expression | undefined {
  return node && buildExpression(only(node.children.expression))
}

/** column, or table.column. */
function buildColumnReference({
  children,
}: Pick<cst.ColumnOrCallCstNode, 'children'>): ColumnExpression {
  const first = only(children.Name)
  const position = positionOfToken(first)
  if (children.qualifiedName === undefined) {
    const quoted = first.tokenType === QuotedIdentifier ? ({ quoted: true } as const) : {}
    return { kind: 'column', name: nameText(first), position, ...quoted }
  }
  const { columnName } = only(children.qualifiedName).children
  const name = nameText(only(only(columnName).children.Name))
  return { kind: 'column', name, qualifier: nameText(first), position }
}
