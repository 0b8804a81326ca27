// SPDX-License-Identifier: Apache-2.0
import {
  getRows,
  guardRow,
  type IndexDefinition,
  ROW_COLUMN,
  type SqlValue,
  type StoredRow,
  type Timestamp,
} from '../../storage/storage.ts'
import { keyTuples } from '../keys/key-range.ts'
import type { PointGetPlan } from '../plan/plan.ts'
import { AnswerRows } from './rows/answer-rows.ts'
import { BatchSize } from './rows/batch-size.ts'
import {
  type ExecutionContext,
  type StatementResult,
  scopeOf,
  TurnTaking,
} from './rows/execution-context.ts'
import { type Asked, entriesByKeys, rowsByKeys } from './rows/rows-by-keys.ts'

/** What a GET answers of a row. */
type AnsweredRow = Pick<StoredRow, 'row' | 'commitTs'>

/**
 * Rows in the order asked, absent ones left out. FOR UPDATE guards every key asked for, also those
 * without a row: that there is none may be what matters. The reading ends where the answer would
 * become too large.
 */
export async function executeGet(
  plan: PointGetPlan,
  context: ExecutionContext,
): Promise<StatementResult> {
  const scope = scopeOf(plan.slots, context)
  const tuples = keyTuples(plan.keys, scope, 'asked')
  const answer = new AnswerRows(plan.projection, plan.position, context)
  const rowTimestamps: Array<Timestamp | null> = []
  const turns = new TurnTaking(context)
  for await (const batch of askedRows(plan, context, tuples)) {
    for (const { key, found } of batch) {
      if (plan.forUpdate && plan.keys.key.index === undefined) {
        guardRow(context.transaction, plan.table, key)
      }
      if (found === null) continue
      scope.work.beginRow(plan.position)
      answer.add({ ...scope, row: found.row })
      if (context.rowTimestamps) rowTimestamps.push(found.commitTs)
      if (turns.isDue()) await turns.pause()
    }
  }
  const result = answer.result()
  return context.rowTimestamps ? { ...result, rowTimestamps } : result
}

function askedRows(
  plan: PointGetPlan,
  context: ExecutionContext,
  tuples: ReadonlyArray<readonly SqlValue[]>,
): AsyncGenerator<ReadonlyArray<Asked<AnsweredRow>>, void, undefined> {
  const { index } = plan.keys.key
  if (index !== undefined) return rowsByIndex(plan, index, context, tuples)
  return rowsByKeys(context.transaction, plan.table, tuples, columnsRead(plan, context))
}

/** The stamp of a row is that of the newest of its families. */
function columnsRead(
  { reads }: PointGetPlan,
  { rowTimestamps }: ExecutionContext,
): { readonly columns?: readonly number[] } {
  return rowTimestamps ? {} : { columns: reads }
}

/** A multi-get of entries, and one of the rows behind those that are there. */
async function* rowsByIndex(
  plan: PointGetPlan,
  index: IndexDefinition,
  context: ExecutionContext,
  tuples: ReadonlyArray<readonly SqlValue[]>,
): AsyncGenerator<ReadonlyArray<Asked<AnsweredRow>>, void, undefined> {
  const { transaction } = context
  const { table, keys } = plan
  const isEntryEnough = plan.covering && !context.rowTimestamps
  const size = new BatchSize()
  for await (const batch of entriesByKeys(transaction, table, index, tuples)) {
    if (plan.forUpdate) {
      transaction.dependOnSchema(table.id)
      for (const { key, found } of batch) {
        transaction.guard(keys.key.encode(key), ROW_COLUMN)
        if (found !== null) guardRow(transaction, table, found.primaryKey)
      }
    }
    if (isEntryEnough) {
      yield batch
      continue
    }
    const present = batch.filter(({ found }) => found !== null)
    for (let first = 0; first < present.length; ) {
      const part = present.slice(first, first + size.rows)
      const primaryKeys = part.flatMap(({ found }) => (found === null ? [] : [found.primaryKey]))
      const rows = await getRows(
        transaction,
        table,
        primaryKeys,
        columnsRead(plan, context).columns,
      )
      size.learn(rows)
      yield part.map(({ key }, place) => ({ key, found: rows[place] ?? null }))
      first += part.length
    }
  }
}
