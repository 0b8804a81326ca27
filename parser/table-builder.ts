// SPDX-License-Identifier: Apache-2.0

import type {
  ColumnClause,
  CreateTableStatement,
  Expression,
  KeyClause,
  Name,
  Position,
  TypeName,
} from './ast.ts'
import { only, positionOfNode, positionOfToken } from './cst-position.ts'
import type * as cst from './grammar-cst.gen.ts'
import { buildLiteral, buildName, nameText } from './literal.ts'
import { shownToken, syntaxError } from './parse-error.ts'
import { SIMILAR_TYPES, TYPE_NAMES } from './type-names.ts'

export function buildCreateTable(node: cst.CreateTableStatementCstNode): CreateTableStatement {
  const { children } = node
  const table = buildName(only(only(children.tableName).children.Name))
  const columns = children.columnClause ?? []
  return {
    kind: 'createTable',
    ifNotExists: children.IF !== undefined,
    table,
    columns: columns.map(buildColumn),
    primaryKey: buildPrimaryKey(table, columns, children.primaryKeyClause ?? []),
    position: positionOfNode(node),
  }
}

export function buildDirectedColumn({ children }: cst.DirectedColumnCstNode): KeyClause {
  return {
    column: buildName(only(only(children.columnName).children.Name)),
    descending: children.DESC !== undefined,
  }
}

function buildPrimaryKey(
  table: Name,
  columns: readonly cst.ColumnClauseCstNode[],
  clauses: readonly cst.PrimaryKeyClauseCstNode[],
): readonly KeyClause[] {
  const declared: Array<{ position: Position; key: readonly KeyClause[] }> = []
  for (const column of columns) {
    for (const { children } of column.children.columnConstraint ?? []) {
      if (children.PRIMARY === undefined) continue
      const name = buildName(only(only(column.children.columnName).children.Name))
      const position = positionOfToken(only(children.PRIMARY))
      declared.push({ position, key: [{ column: name, descending: false }] })
    }
  }
  for (const clause of clauses) {
    const key = clause.children.directedColumn.map(buildDirectedColumn)
    declared.push({ position: positionOfNode(clause), key })
  }
  const [first, second] = declared.sort(
    (left, right) => left.position.offset - right.position.offset,
  )
  if (first === undefined) {
    throw syntaxError(`the table ${table.text} has no primary key`, table.position, {
      token: shownToken(table.text),
      hint: 'mark one column as PRIMARY KEY, or end the list with PRIMARY KEY (column, …)',
    })
  }
  if (second !== undefined) {
    throw syntaxError('a second primary key', second.position, {
      token: 'PRIMARY',
      hint: 'a key of several columns is one clause after them: PRIMARY KEY (column, …)',
    })
  }
  return first.key
}

function buildColumn({ children }: cst.ColumnClauseCstNode): ColumnClause {
  const constraints = children.columnConstraint ?? []
  const [defaulted, again] = constraints.filter((each) => each.children.DEFAULT !== undefined)
  if (again !== undefined) {
    throw syntaxError('a second DEFAULT', positionOfNode(again), { token: 'DEFAULT' })
  }
  return {
    name: buildName(only(only(children.columnName).children.Name)),
    type: buildType(only(children.typeName)),
    notNull: constraints.some((each) => each.children.NOT !== undefined),
    ...(defaulted !== undefined && {
      default: buildDefault(only(defaulted.children.defaultValue)),
    }),
  }
}

function buildType({ children }: cst.TypeNameCstNode): TypeName {
  const token = only(children.Name)
  const position = positionOfToken(token)
  const text = token.image.toUpperCase()
  if (TYPE_NAMES.includes(text)) return { text, position }
  const similar = SIMILAR_TYPES.get(text)
  throw syntaxError(`there is no type ${shownToken(token.image)}`, position, {
    token: shownToken(token.image),
    expected: TYPE_NAMES,
    hint: similar && `${text} is written ${similar}`,
  })
}

function buildDefault({ children }: cst.DefaultValueCstNode): Expression {
  if (children.Literal !== undefined) return buildLiteral(only(children.Literal))
  if (children.NumberLiteral !== undefined) {
    const sign = only(children.Sign)
    return {
      kind: 'unary',
      operator: sign.image as '-' | '+',
      operand: buildLiteral(only(children.NumberLiteral)),
      position: positionOfToken(sign),
    }
  }
  const token = only(children.Name)
  const called = nameText(token).toLowerCase()
  if (called !== 'now' && called !== 'uuid') {
    throw syntaxError('only now() and uuid() can be called in DEFAULT', positionOfToken(token), {
      token: shownToken(token.image),
      expected: ['a literal', 'now()', 'uuid()'],
    })
  }
  return { kind: 'call', function: called, arguments: [], position: positionOfToken(token) }
}
