// SPDX-License-Identifier: Apache-2.0

/**
 * What the parser makes of a text: plain readonly data, each node tagged by `kind`. Nodes that an
 * error may have to point at carry the position of their first character.
 */

/** 1-based line and column (in UTF-16 code units), and the 0-based offset into the whole text. */
export type Position = { readonly line: number; readonly column: number; readonly offset: number }

export type Statement =
  | BeginStatement
  | CommitStatement
  | RollbackStatement
  | DataStatement
  | DefinitionStatement
  | ExplainStatement
  | ShowTablesStatement
  | DescribeStatement

/** Statements that read or write rows; the ones that EXPLAIN takes. */
export type DataStatement =
  | GetStatement
  | ScanStatement
  | SetStatement
  | InsertStatement
  | DeleteStatement
/** Statements that change the catalog; each is a transaction of its own. */
export type DefinitionStatement = CreateTableStatement | DropTableStatement

type Located = { readonly position: Position }

export type BeginStatement = Located & {
  readonly kind: 'begin'
  readonly readOnly: boolean
  readonly asOf?: Expression
}
export type CommitStatement = Located & { readonly kind: 'commit' }
export type RollbackStatement = Located & { readonly kind: 'rollback' }

export type GetStatement = Located & {
  readonly kind: 'get'
  readonly projection: Projection
  readonly table: Name
  readonly asOf?: Expression
  readonly where: Expression
  readonly forUpdate: boolean
}

export type ScanStatement = Located & {
  readonly kind: 'scan'
  readonly projection: Projection
  readonly table: Name
  readonly asOf?: Expression
  readonly hint?: KeyHint
  readonly where?: Expression
  readonly orderBy: readonly OrderPart[]
  readonly limit?: Expression
}

export type SetStatement = Located & {
  readonly kind: 'set'
  readonly assignments: readonly Assignment[]
  readonly table: Name
  readonly where: Expression
}

export type InsertStatement = Located & {
  readonly kind: 'insert'
  readonly table: Name
  readonly columns: readonly Name[]
  /** Each inner list is as long as `columns`. */
  readonly rows: ReadonlyArray<readonly Expression[]>
}

export type DeleteStatement = Located & {
  readonly kind: 'delete'
  readonly table: Name
  readonly hint?: KeyHint
  readonly where?: Expression
  readonly limit?: Expression
}

export type CreateTableStatement = Located & {
  readonly kind: 'createTable'
  readonly ifNotExists: boolean
  readonly table: Name
  readonly columns: readonly ColumnClause[]
  /** From `PRIMARY KEY (…)` or from the one column marked so; the parser refuses none and two. */
  readonly primaryKey: readonly KeyClause[]
}

export type DropTableStatement = Located & {
  readonly kind: 'dropTable'
  readonly ifExists: boolean
  readonly table: Name
}

export type ShowTablesStatement = Located & { readonly kind: 'showTables' }
export type DescribeStatement = Located & { readonly kind: 'describe'; readonly table: Name }
export type ExplainStatement = Located & {
  readonly kind: 'explain'
  readonly analyze: boolean
  readonly statement: DataStatement
}

/** A name as the user wrote it, without the quotes of a quoted identifier. */
export type Name = Located & { readonly text: string }

export type Projection =
  | { readonly kind: 'allColumns' }
  | { readonly kind: 'expressions'; readonly items: readonly ProjectionItem[] }
/** `label` is the name given with AS, else the text of the expression as the user wrote it. */
export type ProjectionItem = { readonly expression: Expression; readonly label: string }

export type KeyHint = Located & { readonly kind: 'primaryKey' }
export type OrderPart = { readonly column: Name; readonly descending: boolean }
export type Assignment = { readonly column: Name; readonly value: Expression }

export type ColumnClause = {
  readonly name: Name
  readonly type: TypeName
  readonly notNull: boolean
  /** A literal (perhaps negated), `now()` or `uuid()`. */
  readonly default?: Expression
}
/** One of the dialect's type names, upper case. */
export type TypeName = Located & { readonly text: string }
export type KeyClause = { readonly column: Name; readonly descending: boolean }

export type Expression =
  | LiteralExpression
  | ParameterExpression
  | ColumnExpression
  | CallExpression
  | UnaryExpression
  | BinaryExpression
  | LogicalExpression
  | InExpression
  | BetweenExpression
  | LikeExpression
  | IsNullExpression

/**
 * `integer` holds a bigint that may exceed 64 bits until a leading minus is applied; the planner
 * checks the range. `bytes` comes from x'…'.
 */
export type LiteralExpression = Located & { readonly kind: 'literal' } & (
    | { readonly type: 'null'; readonly value: null }
    | { readonly type: 'boolean'; readonly value: boolean }
    | { readonly type: 'integer'; readonly value: bigint }
    | { readonly type: 'real'; readonly value: number }
    | { readonly type: 'text'; readonly value: string }
    | { readonly type: 'bytes'; readonly value: Uint8Array }
  )
/** `:name` has a string key, `$1` the number 1. */
export type ParameterExpression = Located & {
  readonly kind: 'parameter'
  readonly key: string | number
}
export type ColumnExpression = Located & { readonly kind: 'column'; readonly name: string }
/** `function` is in lower case. */
export type CallExpression = Located & {
  readonly kind: 'call'
  readonly function: string
  readonly arguments: readonly Expression[]
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
