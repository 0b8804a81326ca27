// SPDX-License-Identifier: Apache-2.0
import type { StatementResult } from '../execute/rows/execution-context.ts'

/** What a definition answers: `rowsAffected` is 1 when something changed. */
export function definitionResult(changed: boolean): StatementResult {
  const text = changed ? 'OK' : 'OK, nothing was to be done'
  return { columns: [], rows: [], rowsAffected: changed ? 1 : 0, text }
}
