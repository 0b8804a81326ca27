// SPDX-License-Identifier: Apache-2.0
import { guardRow, type SqlValue } from '../storage/storage.ts'
import { AnswerBytes } from './answer-bytes.ts'
import {
  type ExecutionContext,
  type RowCounts,
  type StatementResult,
  scopeOf,
  TurnTaking,
} from './execution-context.ts'
import { keyTuples } from './key-range.ts'
import type { PointGetPlan } from './plan.ts'
import { PlanError } from './plan-error.ts'
import { rowsByKeys } from './rows-by-keys.ts'

/**
 * Rows in the order asked, absent ones left out. FOR UPDATE guards every key asked for, also those
 * without a row: that there is none may be what matters. A few keys can name rows of any size, so the
 * answer is measured as it grows, and the reading ends where it would become too large.
 */
export async function executeGet(
  plan: PointGetPlan,
  context: ExecutionContext,
  counts: RowCounts,
): Promise<StatementResult> {
  const { table, projection } = plan
  const { columns } = projection
  const scope = scopeOf(plan.slots, context)
  const tuples = keyTuples(plan.keys, scope, 'asked')
  const rows: SqlValue[][] = []
  const answerBytes = new AnswerBytes(columns)
  let bytes = context.answerBytes?.used ?? 0
  const turns = new TurnTaking(context)
  for await (const batch of rowsByKeys(context.transaction, table, tuples)) {
    for (const { key, stored } of batch) {
      if (plan.forUpdate) guardRow(context.transaction, table, key)
      if (stored === null) continue
      const row = projection.project({ ...scope, row: stored.row })
      rows.push(row)
      bytes += answerBytes.of(row)
      requireSpace(plan, context, bytes)
      if (turns.isDue()) await turns.pause()
    }
  }
  counts.read += rows.length
  return { columns, rows, rowsAffected: 0 }
}

function requireSpace(
  { position }: PointGetPlan,
  { answerBytes }: ExecutionContext,
  actual: number,
): void {
  if (answerBytes === undefined || actual <= answerBytes.max) return
  const { max } = answerBytes
  throw new PlanError('limit_exceeded', `The answer would have more than ${max} bytes.`, {
    position,
    hint: 'Ask for fewer keys in one request, or for fewer columns.',
    fields: { limit: 'answerBytesMax', limitValue: max, actual },
  })
}
