// SPDX-License-Identifier: Apache-2.0
import { andThen, type Batches, type MaybePromise, waitedFor } from '../../../storage/storage.ts'
import {
  getRows,
  type IndexEntry,
  type SqlRow,
  type StoredRow,
} from '../../../storage/tables/tables.ts'
import { PLANNER_LIMITS } from '../../planner-limits.ts'
import { BatchSize } from './batch-size.ts'
import { TurnTaking } from './execution-context.ts'
import type { PassedEntry, Step, Steps, Walking } from './walk-step.ts'

/**
 * The rows of the entries of an index, in the entries' order. What the entry alone can tell is
 * filtered first; the rows of those that stay are read by one multi-get for many of them, and not
 * at all when the entries cover what is read.
 */
export function* rowsOfEntries(
  walking: Walking,
  batches: Batches<ReadonlyArray<IndexEntry | PassedEntry>>,
): Generator<MaybePromise<Steps>, void, undefined> {
  const { plan, scope, window, context } = walking
  const turns = new TurnTaking(context)
  const size = new BatchSize(plan.rowFilter === undefined ? window.rowsWanted : undefined)
  let waiting: Waiting[] = []
  let kept = 0
  for (const next of batches) {
    const batch = yield* waitedFor(next)
    if (plan.covering) {
      yield stepsOfEntries(walking, batch)
      continue
    }
    for (const entry of batch) {
      if (turns.isDue()) yield* waitedFor(turns.pause())
      scope.work.beginRow(plan.position)
      const isKept = entry.row !== undefined && keeps(walking, entry.row)
      waiting.push({ mark: entry.key, primaryKey: isKept ? entry.primaryKey : undefined })
      if (isKept) kept += 1
      // Entries that are dropped wait for those before them, and must not become too many either.
      if (kept < size.rows && waiting.length < PLANNER_LIMITS.multiGetKeysMax) continue
      yield stepsOf(walking, waiting, size)
      waiting = []
      kept = 0
    }
  }
  if (waiting.length > 0) yield stepsOf(walking, waiting, size)
}

/** What is left to know of an entry: what it stores may be large, and is not held. */
type Waiting = {
  readonly mark: Uint8Array
  /** Absent where its row is not of the walk. */
  readonly primaryKey: IndexEntry['primaryKey'] | undefined
}

function keeps({ plan, scope }: Walking, row: SqlRow): boolean {
  return plan.keyFilter?.keeps({ ...scope, row }) ?? true
}

/** What the entries tell alone. */
function* stepsOfEntries(
  walking: Walking,
  entries: ReadonlyArray<IndexEntry | PassedEntry>,
): Generator<Step, void, undefined> {
  for (const { key, row } of entries) {
    walking.scope.work.beginRow(walking.plan.position)
    yield { mark: key, row: row !== undefined && keeps(walking, row) ? row : null }
  }
}

function stepsOf(
  walking: Walking,
  waiting: readonly Waiting[],
  size: BatchSize,
): MaybePromise<Steps> {
  return andThen(rowsBehind(walking, waiting), (rows) => {
    size.learn(rows)
    return stepsOfRows(walking, waiting, rows)
  })
}

function* stepsOfRows(
  { plan, scope }: Walking,
  waiting: readonly Waiting[],
  rows: ReadonlyArray<StoredRow | null>,
): Generator<Step, void, undefined> {
  let next = 0
  for (const { mark, primaryKey } of waiting) {
    scope.work.beginRow(plan.position)
    const row = primaryKey === undefined ? null : rowBehind(primaryKey, rows[next++])
    const staying = row === null || (plan.rowFilter?.keeps({ ...scope, row }) ?? true)
    yield { mark, row: staying ? row : null }
  }
}

function rowsBehind(
  { plan, context }: Walking,
  waiting: readonly Waiting[],
): MaybePromise<Array<StoredRow | null>> {
  const keys = waiting.flatMap(({ primaryKey }) => (primaryKey === undefined ? [] : [primaryKey]))
  if (keys.length === 0) return []
  return getRows(context.transaction, plan.table, keys, plan.reads)
}

/** Both are of one snapshot and are always written together. */
function rowBehind(
  primaryKey: IndexEntry['primaryKey'],
  stored: StoredRow | null | undefined,
): SqlRow {
  if (stored != null) return stored.row
  throw new Error(
    `The index has an entry for the key (${primaryKey.join(', ')}), which has no row.`,
  )
}
