// SPDX-License-Identifier: Apache-2.0
import type { ColumnExpression, Expression } from '../../parser/ast.ts'
import type { RowPart } from '../row-parts.ts'

/**
 * The same for expressions that mean the same because they are written alike, wherever they stand, and whether or not
 * their columns have their table before them.
 */
export function meaningOf(expression: Expression, parts: readonly RowPart[]): string {
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
