// SPDX-License-Identifier: Apache-2.0
import {
  andThen,
  type Batches,
  compareRowKeys,
  keyAfter,
  type MaybePromise,
  waitedFor,
} from '../../../storage/storage.ts'
import {
  type IndexDefinition,
  type IndexEntry,
  type SqlRow,
  type StoredRow,
  type StoredRows,
  scanIndexEntries,
  scanRowBatches,
} from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import type { Scope } from '../../expressions/compiled-expression.ts'
import { lengthOf } from '../../expressions/value-work.ts'
import { NODE_UNITS } from '../../expressions/work-meter.ts'
import {
  type BoundingMatch,
  isFullKey,
  type KeyRange,
  keyRanges,
  keyTuples,
  type RangeOfValues,
} from '../../keys/key-range.ts'
import type { WalkPlan } from '../../plan/plan.ts'
import { PlanError } from '../../plan-error.ts'
import { entriesOfWords } from './entries-of-words.ts'
import { rowsOfEntries } from './entry-rows.ts'
import { TurnTaking } from './execution-context.ts'
import { entriesByKeys, rowsByKeys } from './rows-by-keys.ts'
import type { PassedEntry, Step, Steps, Walking } from './walk-step.ts'

/** Entries of an index that are held at once, apart from those that wait for their rows. */
const ENTRIES_AT_ONCE = 20

/**
 * Finding where a range begins is about as much work as reading this many rows. Thousands of ranges may all
 * be empty, and then there would be no pause between two rows.
 */
const ROWS_OF_A_SEEK = 10

/**
 * The rows of a SCAN's or a DELETE's bounds in the order of the walk. A full key is read by multi-gets,
 * anything else by ranges, one after the other; by an index, its entries are, and then the rows of
 * those that its filter keeps, unless it covers.
 */
export function walk(walking: Walking): Batches<Steps> {
  const { plan } = walking
  const { bounds } = plan.path
  const { index } = bounds.key
  const byKeys = isFullKey(bounds)
  if (index === undefined) return byKeys ? rowsByPoints(walking) : rowsByRanges(walking)
  if (bounds.match !== undefined) {
    return rowsOfEntries(walking, entriesByMatch(walking, index, bounds.match))
  }
  const entries = byKeys ? entriesByPoints(walking, index) : entriesByRanges(walking, index)
  return rowsOfEntries(walking, entries)
}

function* rowsByPoints(walking: Walking): Generator<MaybePromise<Steps>, void, undefined> {
  const { plan, context, window } = walking
  const wanted = { columns: plan.reads, ...rowsWantedIn(walking, window.rowsWanted) }
  const keys = pointsAhead(walking)
  for (const next of rowsByKeys(context.transaction, plan.table, keys, wanted)) {
    yield andThen(next, (batch) =>
      stepsOver(
        walking,
        batch.flatMap(({ found }) => found ?? []),
      ),
    )
  }
}

/** Whether a walk keeps all rows of ranges of the primary key. */
export function keepsRanges({ path: { bounds }, keyFilter, rowFilter }: WalkPlan): boolean {
  if (keyFilter !== undefined || rowFilter !== undefined) return false
  return bounds.key.index === undefined && !isFullKey(bounds)
}

function* rowsByRanges(walking: Walking): Generator<MaybePromise<Steps>, void, undefined> {
  for (const next of storedByRanges(walking)) {
    yield andThen(next, (batch) => stepsOver(walking, batch))
  }
}

/** The rows of ranges of the primary key as they are stored, whether or not a filter keeps them. */
export function* storedByRanges(
  walking: Walking,
): Generator<MaybePromise<StoredRows | readonly never[]>, void, undefined> {
  const { plan, context } = walking
  const turns = new TurnTaking(context)
  let left = rowsWantedIn(walking, walking.window.rowsWanted).rowsWanted
  for (const range of rangesAhead(walking)) {
    if (turns.isDue(ROWS_OF_A_SEEK)) yield* waitedFor(turns.pause())
    const scan = { ...scanOf(walking, range, left), columns: plan.reads }
    for (const next of scanRowBatches(context.transaction, plan.table, scan)) {
      const batch = next instanceof Promise ? yield* waitedFor(next) : next
      if (turns.isDue(0)) yield* waitedFor(turns.pause())
      yield batch
      if (left !== undefined) left -= batch.length
    }
    if (left !== undefined && left <= 0) return
  }
}

function* entriesByPoints(
  walking: Walking,
  index: IndexDefinition,
): Generator<MaybePromise<readonly IndexEntry[]>, void, undefined> {
  const { plan, context, window } = walking
  const wanted = rowsWantedIn(walking, window.rowsWanted)
  const keys = pointsAhead(walking)
  for (const next of entriesByKeys(context.transaction, plan.table, index, keys, wanted)) {
    yield andThen(next, (batch) => batch.flatMap(({ found }) => found ?? []))
  }
}

function* entriesByRanges(
  walking: Walking,
  index: IndexDefinition,
): Generator<MaybePromise<readonly IndexEntry[]>, void, undefined> {
  const { plan, context, window } = walking
  const turns = new TurnTaking(context)
  let left = rowsWantedIn(walking, window.rowsWanted).rowsWanted
  for (const range of rangesAhead(walking)) {
    if (turns.isDue(ROWS_OF_A_SEEK)) yield* waitedFor(turns.pause())
    const scan = {
      ...scanOf(walking, range, left),
      batchEntries: window.entriesAtOnce ?? ENTRIES_AT_ONCE,
    }
    for (const next of scanIndexEntries(context.transaction, plan.table, index, scan)) {
      const batch = next instanceof Promise ? yield* waitedFor(next) : next
      if (turns.isDue(0)) yield* waitedFor(turns.pause())
      yield batch
      if (left !== undefined) left -= batch.length
    }
    if (left !== undefined && left <= 0) return
  }
}

/** One word alone is a range like any other. */
function* entriesByMatch(
  walking: Walking,
  index: IndexDefinition,
  { patternIn, isRuled }: BoundingMatch,
): Generator<MaybePromise<ReadonlyArray<IndexEntry | PassedEntry>>, void, undefined> {
  const pattern = patternIn(walking.scope)
  if (pattern === null) return
  const { words } = pattern
  if (isRuled && words.size === 0) throw onlyWholeWords(walking.plan)
  const bounding = isRuled ? { words } : pattern
  if (words.size === 1 && bounding.prefix === undefined)
    return yield* entriesByRanges(walking, index)
  for (const range of rangesAhead(walking)) {
    yield* entriesOfWords(walking, index, range, bounding)
  }
}

function onlyWholeWords({ position, table }: WalkPlan): PlanError {
  const message = `A rule of your role hides rows of ${table.name}, so that a word with a * alone bounds no index.`
  const hint =
    'Ask for a whole word as well, or by an index that begins with the columns of the rule.'
  return new PlanError('unbounded_scan', message, { position, hint })
}

function* stepsOver({ plan, scope }: Walking, rows: Iterable<StoredRow>): Generator<Step> {
  for (const { key, row } of rows) {
    scope.work.beginRow(plan.position)
    yield { mark: key, row: keptBy(plan, scope, row) }
  }
}

/** Only a walk whose rows are all kept can tell the store how many it will need. */
function rowsWantedIn(
  { plan }: Walking,
  rowsWanted: number | undefined,
): { readonly rowsWanted?: number } {
  const keepsAll = plan.keyFilter === undefined && plan.rowFilter === undefined
  return keepsAll && rowsWanted !== undefined ? { rowsWanted } : {}
}

/** The row, or null when the filter of rows drops it; without a key's filter before, that is all. */
function keptBy({ rowFilter }: WalkPlan, scope: Scope, row: SqlRow): SqlRow | null {
  return rowFilter === undefined || rowFilter.keeps({ ...scope, row }) ? row : null
}

function pointsAhead({ plan, scope, window }: Walking): ReadonlyArray<readonly SqlValue[]> {
  const { bounds, reverse } = plan.path
  const inKeyOrder = keyTuples(bounds, scope, 'key')
  const tuples = reverse ? inKeyOrder.toReversed() : inKeyOrder
  const { after } = window
  if (after === undefined) return tuples
  return tuples.filter((tuple) => {
    scope.work.spend(NODE_UNITS * tuple.length + tuple.reduce(addLength, 0))
    const order = compareRowKeys(bounds.key.encode(tuple), after)
    return reverse ? order < 0 : order > 0
  })
}

function addLength(sum: number, value: SqlValue): number {
  return sum + lengthOf(value)
}

/** The ranges of keys that the plan walks, in the direction of the walk. Throws PlanError where nothing bounds it. */
export function boundedRanges(plan: WalkPlan, scope: Scope): readonly RangeOfValues[] {
  requireBound(plan, scope)
  const { bounds, reverse } = plan.path
  const inKeyOrder = keyRanges(bounds, scope)
  return reverse ? inKeyOrder.toReversed() : inKeyOrder
}

function rangesAhead({ plan, scope, window }: Walking): readonly RangeOfValues[] {
  const ranges = boundedRanges(plan, scope)
  const { reverse } = plan.path
  const { after } = window
  if (after === undefined) return ranges
  return ranges.flatMap((range) => remaining(range, { reverse, after }) ?? [])
}

/** What of a range still lies ahead of the last step, in the direction of the walk. */
function remaining(
  { start, end, values }: RangeOfValues,
  { reverse, after }: { readonly reverse: boolean; readonly after: Uint8Array },
): RangeOfValues | undefined {
  const ahead = reverse
    ? { start, end: compareRowKeys(after, end) < 0 ? after : end }
    : { start: compareRowKeys(after, start) >= 0 ? keyAfter(after) : start, end }
  return compareRowKeys(ahead.start, ahead.end) < 0 ? { ...ahead, values } : undefined
}

function scanOf({ plan, context }: Walking, { start, end }: KeyRange, limit: number | undefined) {
  const { signal } = context
  return {
    ...{ start, end },
    reverse: plan.path.reverse,
    ...(limit === undefined ? {} : { limit }),
    ...(signal === undefined ? {} : { signal }),
  }
}

/**
 * LIKE :pattern counts as a bound when the statement is planned; a pattern that begins with a
 * wildcard turns out to be none.
 */
function requireBound({ path, unbounded }: WalkPlan, scope: Scope): void {
  const { bounds, mayWalk } = path
  if (mayWalk || bounds.points.length > 0) return
  for (const condition of bounds.range) {
    if (condition.kind !== 'prefix' || condition.text(scope) !== '') return
  }
  throw unbounded()
}
