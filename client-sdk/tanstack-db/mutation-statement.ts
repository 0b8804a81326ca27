// SPDX-License-Identifier: Apache-2.0
import type { PendingMutation } from '@tanstack/db'
import type { Statement } from '../requests/statements.ts'
import { quotedName } from '../requests/table.ts'
import type { Parameter } from '../values.ts'
import type { KeyColumns } from './key-columns.ts'

/** A mutation of any collection. */
export type Mutation = Pick<PendingMutation<object>, 'type' | 'original' | 'modified' | 'changes'>

/** The statement that makes the mutation in the table. */
export function statementOf(
  table: string,
  key: KeyColumns,
  mutation: Mutation,
): Required<Statement> {
  const name = quotedName(table)
  const params: Parameter[] = []
  const place = (value: Parameter) => `$${params.push(value)}`
  const { type, original, modified, changes } = mutation
  if (type === 'insert') {
    const given = Object.entries(modified).filter(([, value]) => value !== undefined)
    const columns = given.map(([column]) => quotedName(column)).join(', ')
    const values = given.map(([, value]) => place(value)).join(', ')
    return { sql: `INSERT INTO ${name} (${columns}) VALUES (${values})`, params }
  }
  const equal = ([column, value]: readonly [string, Parameter]) =>
    `${quotedName(column)} = ${place(value)}`
  // What was set to undefined is no property of the row any more.
  const set = (): string[] =>
    Object.entries(changes).map(([column, value]) => equal([column, value ?? null]))
  const start = type === 'update' ? `SET ${set().join(', ')} ON` : 'DELETE FROM'
  const values = key.valuesOf(original)
  const where = key.names.map((column, at) => equal([column, values[at]])).join(' AND ')
  // Without IF a SET would make the row that another client has deleted.
  const end = type === 'update' ? ' IF EXISTS' : ''
  return { sql: `${start} ${name} WHERE ${where}${end}`, params }
}
