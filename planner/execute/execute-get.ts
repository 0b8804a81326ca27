// SPDX-License-Identifier: Apache-2.0
import {
  andThen,
  awaited,
  doWork,
  type MaybePromise,
  type Timestamp,
  type Work,
} from '../../storage/storage.ts'
import {
  getRows,
  getUniqueEntries,
  guardRow,
  type IndexDefinition,
  keyOfRow,
  ROW_COLUMN,
  type StoredRow,
} from '../../storage/tables/tables.ts'
import type { SqlValue } from '../../storage/values/values.ts'
import type { Scope } from '../expressions/compiled-expression.ts'
import { keyTuples } from '../keys/key-range.ts'
import type { PlannedLookup, PointGetPlan } from '../plan/plan.ts'
import { withLookups } from './lookups/joined-walk.ts'
import { AnswerRows } from './rows/answer-rows.ts'
import { BatchSize } from './rows/batch-size.ts'
import {
  type Execute,
  type ExecutionContext,
  type StatementResult,
  scopeOf,
  TurnTaking,
} from './rows/execution-context.ts'
import { mayMeetRule, meetsRule } from './rows/row-visibility.ts'
import { inBatches, rowsOfUniqueEntries } from './rows/rows-by-keys.ts'
import type { Steps } from './rows/walk-step.ts'

/** What a GET answers of a row, or of the index entry that has all that is asked. */
type AnsweredRow = Pick<StoredRow, 'key' | 'row' | 'commitTs'>

/**
 * Rows in the order asked, absent ones left out. FOR UPDATE guards every key asked for, also those
 * without a row: that there is none may be what matters. The reading ends where the answer would
 * become too large.
 */
export const executeGet: Execute<PointGetPlan> = (plan, context) => {
  const scope = scopeOf(plan.slots, context)
  const keys = keysWithinRule(plan, keyTuples(plan.keys, scope, 'asked'), scope)
  const { lookups } = plan
  if (lookups !== undefined) return getJoined({ ...plan, lookups }, context, keys, scope)
  const answer = new GetAnswer(plan, context, scope)
  if (keys.length > 1) return doWork(readInBatches(plan, context, keys, answer))
  return andThen(visibleRowsAt(plan, context, { keys, scope }), ([row = null]) => {
    answer.add(row)
    return answer.result()
  })
}

type JoinedGet = PointGetPlan & { readonly lookups: readonly PlannedLookup[] }

/** The same with the rows that are looked up for those. */
async function getJoined(
  plan: JoinedGet,
  context: ExecutionContext,
  keys: ReadonlyArray<readonly SqlValue[]>,
  scope: Scope,
): Promise<StatementResult> {
  const { position, projection } = plan
  const answer = new AnswerRows(projection, position, context)
  const turns = new TurnTaking(context)
  const batches = stepsOfKeys(plan, context, keys, scope)
  for await (const steps of withLookups(plan.lookups, { scope, context, position }, batches)) {
    for (const { row } of steps) {
      scope.work.beginRow(position)
      if (row !== null) answer.add({ ...scope, row })
      if (turns.isDue()) await turns.pause()
    }
  }
  return answer.result()
}

function* stepsOfKeys(
  plan: PointGetPlan,
  context: ExecutionContext,
  keys: ReadonlyArray<readonly SqlValue[]>,
  scope: Scope,
): Generator<MaybePromise<Steps>, void, undefined> {
  const visible = (requested: typeof keys) =>
    visibleRowsAt(plan, context, { keys: requested, scope })
  for (const next of inBatches(keys, new BatchSize(keys.length), visible)) {
    yield andThen(next, (batch) =>
      batch.flatMap(({ found }) => (found === null ? [] : [{ mark: found.key, row: found.row }])),
    )
  }
}

function* readInBatches(
  plan: PointGetPlan,
  context: ExecutionContext,
  keys: ReadonlyArray<readonly SqlValue[]>,
  answer: GetAnswer,
): Work<StatementResult> {
  const turns = new TurnTaking(context)
  const size = new BatchSize(keys.length)
  for (let first = 0; first < keys.length; ) {
    const requested = keys.slice(first, first + size.rows)
    first += requested.length
    const rows = yield* awaited(
      visibleRowsAt(plan, context, { keys: requested, scope: answer.scope }),
    )
    size.learn(rows)
    for (const row of rows) {
      answer.add(row)
      if (turns.isDue()) yield turns.pause()
    }
  }
  return answer.result()
}

class GetAnswer {
  readonly #plan: PointGetPlan
  readonly scope: Scope
  readonly #rows: AnswerRows
  readonly #rowTimestamps: Array<Timestamp | null> | undefined

  constructor(plan: PointGetPlan, context: ExecutionContext, scope: Scope) {
    this.#plan = plan
    this.scope = scope
    this.#rows = new AnswerRows(plan.projection, plan.position, context)
    this.#rowTimestamps = context.rowTimestamps ? [] : undefined
  }

  /** Throws PlanError. */
  add(row: AnsweredRow | null): void {
    if (row === null) return
    this.scope.work.beginRow(this.#plan.position)
    this.#rows.add({ ...this.scope, row: row.row })
    this.#rowTimestamps?.push(row.commitTs)
  }

  result(): StatementResult {
    const result = this.#rows.result()
    return this.#rowTimestamps === undefined
      ? result
      : { ...result, rowTimestamps: this.#rowTimestamps }
  }
}

/** A key that the rule hides is not asked for. */
function keysWithinRule(
  plan: PointGetPlan,
  keys: ReadonlyArray<readonly SqlValue[]>,
  scope: Scope,
): ReadonlyArray<readonly SqlValue[]> {
  return isRuledByKeys(plan) ? keys.filter((key) => mayMeetRule(plan, key, scope)) : keys
}

/** Whether the keys that are asked for tell all that the rule asks. */
function isRuledByKeys({ rowRule, keys }: PointGetPlan): boolean {
  return rowRule?.isByKey === true && keys.key.index === undefined
}

/** Those that are there and that the rule does not hide; a row that it hides is not guarded either. */
function visibleRowsAt(
  plan: PointGetPlan,
  context: ExecutionContext,
  { keys, scope }: { readonly keys: ReadonlyArray<readonly SqlValue[]>; readonly scope: Scope },
): MaybePromise<Array<AnsweredRow | null>> {
  const { table, rowRule, position } = plan
  if (rowRule === undefined || isRuledByKeys(plan)) return rowsAt(plan, context, keys)
  return andThen(rowsAt({ ...plan, forUpdate: false }, context, keys), (rows) =>
    rows.map((found) => {
      scope.work.beginRow(position)
      if (found === null || !meetsRule(plan, found.row, scope)) return null
      if (plan.forUpdate) guardRow(context.transaction, table, keyOfRow(table, found.row))
      return found
    }),
  )
}

/** What is there for each of these keys. */
function rowsAt(
  plan: PointGetPlan,
  context: ExecutionContext,
  keys: ReadonlyArray<readonly SqlValue[]>,
): MaybePromise<Array<AnsweredRow | null>> {
  const { table } = plan
  const { index } = plan.keys.key
  if (index !== undefined) return rowsOfEntries(plan, index, context, keys)
  if (plan.forUpdate) for (const key of keys) guardRow(context.transaction, table, key)
  return getRows(context.transaction, table, keys, columnsRead(plan.reads, context))
}

/** A multi-get of entries, and one of the rows of those that are there. */
async function rowsOfEntries(
  { table, keys, reads, covering, forUpdate }: PointGetPlan,
  index: IndexDefinition,
  context: ExecutionContext,
  requested: ReadonlyArray<readonly SqlValue[]>,
): Promise<Array<AnsweredRow | null>> {
  const { transaction } = context
  const entries = await getUniqueEntries(transaction, table, index, requested)
  if (forUpdate) {
    transaction.dependOnSchema(table.id)
    for (const key of requested) transaction.guard(keys.key.encode(key), ROW_COLUMN)
    for (const entry of entries) {
      if (entry !== null) guardRow(transaction, table, entry.primaryKey)
    }
  }
  if (covering && !context.rowTimestamps) return entries
  return await rowsOfUniqueEntries(transaction, table, entries, columnsRead(reads, context))
}

/** The stamp of a row is that of the newest of its families. */
function columnsRead(
  reads: readonly number[],
  { rowTimestamps }: ExecutionContext,
): readonly number[] | undefined {
  return rowTimestamps ? undefined : reads
}
