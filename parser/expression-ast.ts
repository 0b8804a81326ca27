// SPDX-License-Identifier: Apache-2.0

/** 1-based line and column (in UTF-16 code units), and the 0-based offset into the whole text. */
export type Position = { readonly line: number; readonly column: number; readonly offset: number }
export type Located = { readonly position: Position }

/** A name as the user wrote it, without the quotes of a quoted identifier. */
export type Name = Located & { readonly text: string }

export type Expression =
  | LiteralExpression
  | ParameterExpression
  | ColumnExpression
  | CallExpression
  | AggregateExpression
  | CaseExpression
  | CastExpression
  | UnaryExpression
  | BinaryExpression
  | LogicalExpression
  | InExpression
  | BetweenExpression
  | LikeExpression
  | IsNullExpression
  | RowExpression

/**
 * `integer` holds a bigint that may exceed 64 bits until a leading minus is applied; the planner
 * checks the range. With `isInterval` it is microseconds, written as an INTERVAL. `real` has the digits that were
 * written beside the nearest double. `bytes` comes from x'…'.
 */
export type LiteralExpression = Located & { readonly kind: 'literal' } & (
    | { readonly type: 'null'; readonly value: null }
    | { readonly type: 'boolean'; readonly value: boolean }
    | { readonly type: 'integer'; readonly value: bigint; readonly isInterval?: true }
    | { readonly type: 'real'; readonly value: number; readonly text: string }
    | { readonly type: 'text'; readonly value: string }
    | { readonly type: 'bytes'; readonly value: Uint8Array }
  )
/** `:name` has a string key, `$1` the number 1, and `token.name` the whole text. */
export type ParameterExpression = Located & {
  readonly kind: 'parameter'
  readonly key: string | number
  /** The type of what an earlier statement of the request has read INTO this name; the planner says it. */
  readonly readType?: string
}
export type ColumnExpression = Located & {
  readonly kind: 'column'
  readonly name: string
  /** What stands before the dot: an alias or the name of a table, or `excluded`. */
  readonly qualifier?: string
  /** Written in double quotes, which other databases take for a text. */
  readonly quoted?: true
}
/** `function` is in lower case. */
export type CallExpression = Located & {
  readonly kind: 'call'
  readonly function: string
  readonly arguments: readonly Expression[]
}
export type AggregateFunction = 'count' | 'sum' | 'min' | 'max' | 'avg'
/**
 * One value of all rows of a group. Without an operand it is COUNT(*). The parser lets it through
 * only in the projection, the HAVING and the ORDER BY of a SCAN, and never inside another one.
 */
export type AggregateExpression = Located & {
  readonly kind: 'aggregate'
  readonly function: AggregateFunction
  readonly operand?: Expression
  /** Of equal values it takes one. */
  readonly distinct?: true
  /** It takes the rows of which this is TRUE. */
  readonly filter?: Expression
}
/** With an operand, each WHEN is a value that it may equal; without, a condition. */
export type CaseExpression = Located & {
  readonly kind: 'case'
  readonly operand?: Expression
  readonly branches: ReadonlyArray<{ readonly when: Expression; readonly result: Expression }>
  readonly otherwise?: Expression
}
/** `CAST(a AS TEXT)` has one type, `a::INTEGER::TEXT` two, which are applied from the left. */
export type CastExpression = Located & {
  readonly kind: 'cast'
  readonly operand: Expression
  readonly types: readonly TypeName[]
}
/** One of the types of the dialect, in capitals; `size` is that of a DECIMAL(18, 2). */
export type TypeName = Name & {
  readonly size?: { readonly precision: number; readonly scale: number }
}
export type UnaryExpression = Located & {
  readonly kind: 'unary'
  readonly operator: '-' | '+' | 'NOT'
  readonly operand: Expression
}
export type BinaryOperator =
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '||'
  | '->'
  | '->>'
  | '#>'
  | '#>>'
  | '@>'
  | '?'
  | 'MATCH'
  | '='
  | '<>'
  | '<'
  | '<='
  | '>'
  | '>='
/**
 * A chain such as a + b - c is one node, evaluated from the left by a loop, so that a long chain
 * costs no stack: `first` and then each operator with its operand. A comparison has one rest part.
 */
export type BinaryExpression = Located & {
  readonly kind: 'binary'
  readonly first: Expression
  readonly rest: ReadonlyArray<{
    readonly operator: BinaryOperator
    readonly operand: Expression
    readonly position: Position
  }>
}
/** A column of a key, or what one that is JSON has at a path: `meta->>'city'`, with literals only. */
export type KeyPartName = { readonly column: Name; readonly path?: BinaryExpression }
/**
 * `(a, b)`, a side of a comparison by order, or of IN. What `=` and `<>` say of rows with as many values, the parser
 * has made of the values.
 */
export type RowExpression = Located & {
  readonly kind: 'row'
  readonly values: readonly Expression[]
}
/** All conditions of one chain of the same operator. */
export type LogicalExpression = Located & {
  readonly kind: 'logical'
  readonly operator: 'AND' | 'OR'
  readonly operands: readonly Expression[]
}
/** `IN (…)` has a list of expressions, `IN :list` one parameter that holds an array. */
export type InExpression = Located & {
  readonly kind: 'in'
  readonly negated: boolean
  readonly operand: Expression
  readonly list: readonly Expression[] | ParameterExpression
}
export type BetweenExpression = Located & {
  readonly kind: 'between'
  readonly negated: boolean
  readonly operand: Expression
  readonly lower: Expression
  readonly upper: Expression
}
export type LikeExpression = Located & {
  readonly kind: 'like'
  readonly negated: boolean
  readonly operand: Expression
  readonly pattern: Expression
}
export type IsNullExpression = Located & {
  readonly kind: 'isNull'
  readonly negated: boolean
  readonly operand: Expression
}
