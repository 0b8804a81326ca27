// SPDX-License-Identifier: Apache-2.0
import type { Position } from '../../parser/ast.ts'
import { StorageError } from '../../storage/storage.ts'
import type { StatementResult } from '../execute/rows/execution-context.ts'
import { PlanError } from '../plan-error.ts'

/** What a definition answers: `rowsAffected` is 1 when something changed, and `hint` what would be better. */
export function definitionResult(changed: boolean, hint?: string): StatementResult {
  const nothing = { columns: [], rows: [] }
  if (!changed) return { ...nothing, rowsAffected: 0, text: 'OK, nothing was to be done' }
  if (hint === undefined) return { ...nothing, rowsAffected: 1, text: 'OK' }
  return { ...nothing, rowsAffected: 1, text: `OK\nHINT:  ${hint}`, hint }
}

/**
 * Storage knows the name that it refuses; here its place in the text is known as well. As it is, where its code is none
 * of these: then it is not about what the text says.
 */
export function located(
  error: unknown,
  codes: Readonly<Record<string, PlanError['code']>>,
  placeOf: (fields: StorageError['fields']) => Position,
): unknown {
  const code = error instanceof StorageError ? codes[error.code] : undefined
  if (!(error instanceof StorageError) || code === undefined) return error
  const { hint, ...fields } = error.fields
  const position = placeOf(error.fields)
  return new PlanError(code, error.message, {
    position,
    ...(typeof hint === 'string' && { hint }),
    fields,
  })
}
