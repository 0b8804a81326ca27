// SPDX-License-Identifier: Apache-2.0
import type { DefinitionStatement, Name, Position } from '../../parser/ast.ts'
import { StorageError } from '../../storage/storage.ts'
import { PlanError } from '../plan-error.ts'

const CODES = {
  invalid_definition: 'invalid_request',
  already_exists: 'already_exists',
  out_of_range: 'out_of_range',
  type_mismatch: 'type_mismatch',
} as const

/**
 * Storage names the column that it refuses; here its place in the text is known as well. Undefined for
 * errors that are not about what the text says.
 */
export function locatedIn(statement: DefinitionStatement, error: unknown): PlanError | undefined {
  if (!(error instanceof StorageError)) return undefined
  const code = CODES[error.code as keyof typeof CODES]
  if (code === undefined) return undefined
  const position = placeOf(statement, error.fields)
  return new PlanError(code, error.message, { position, fields: error.fields })
}

function placeOf(
  statement: DefinitionStatement,
  { column, family }: Readonly<Record<string, unknown>>,
): Position {
  // The last of two of one name is the one too many.
  const named = namesIn(statement, family).findLast(({ text }) => text === column)
  if (named !== undefined) return named.position
  if ('index' in statement) return statement.index.position
  return ('observer' in statement ? statement.observer : statement.table).position
}

/** The names among which the refused one stands. */
function namesIn(statement: DefinitionStatement, family: unknown): readonly Name[] {
  switch (statement.kind) {
    case 'createTable': {
      if (family === undefined) return statement.columns.map(({ name }) => name)
      return statement.families.flatMap(({ columns }) => columns)
    }
    case 'createIndex':
      return [...statement.columns.map(({ column }) => column), ...statement.storing]
    case 'createObserver':
      return statement.columns
    case 'addColumn':
      return [statement.column.name]
    case 'dropColumn':
      return [statement.column]
    default:
      return []
  }
}
