// SPDX-License-Identifier: Apache-2.0
import {
  compareRowKeys,
  keyAfter,
  type SqlValue,
  type StoredRow,
  scanRows,
} from '../storage/storage.ts'
import type { Scope } from './compiled-expression.ts'
import type { ExecutionContext } from './execution-context.ts'
import { isFullKey, type KeyBounds, type KeyRange, keyRanges, keyTuples } from './key-range.ts'
import type { DeletePlan, RangeScanPlan } from './plan.ts'
import { rowsByKeys } from './rows-by-keys.ts'
import { unbounded } from './rules.ts'

/** Where to begin, and how many rows will be asked for at most, when that is known. */
export type RowWindow = { readonly after?: Uint8Array; readonly limit?: number }

/**
 * The rows of a SCAN's or a DELETE's bounds, unfiltered, in the order of the walk. A full key is read
 * by multi-gets, one for each thousand of points; anything else by ranges, one after the other.
 */
export async function* rowsOf(
  plan: RangeScanPlan | DeletePlan,
  scope: Scope,
  context: ExecutionContext,
  window: RowWindow = {},
): AsyncGenerator<StoredRow, void, undefined> {
  requireBound(plan, scope)
  if (isFullKey(plan.path.bounds)) yield* pointRows(plan, scope, context, window)
  else yield* rangeRows(plan, scope, context, window)
}

async function* pointRows(
  plan: RangeScanPlan | DeletePlan,
  scope: Scope,
  { transaction }: ExecutionContext,
  { after, limit }: RowWindow,
): AsyncGenerator<StoredRow, void, undefined> {
  const { bounds, reverse } = plan.path
  const inKeyOrder = keyTuples(bounds, scope, 'key')
  const tuples = (reverse ? inKeyOrder.toReversed() : inKeyOrder).filter((tuple) =>
    isAhead(bounds, tuple, { reverse, after }),
  )
  for await (const batch of rowsByKeys(transaction, plan.table, tuples, limit)) {
    for (const { stored } of batch) if (stored !== null) yield stored
  }
}

function isAhead(
  bounds: KeyBounds,
  tuple: readonly SqlValue[],
  { reverse, after }: { readonly reverse: boolean; readonly after: Uint8Array | undefined },
): boolean {
  if (after === undefined) return true
  const order = compareRowKeys(bounds.key.encode(tuple), after)
  return reverse ? order < 0 : order > 0
}

async function* rangeRows(
  plan: RangeScanPlan | DeletePlan,
  scope: Scope,
  { transaction, signal }: ExecutionContext,
  { after, limit }: RowWindow,
): AsyncGenerator<StoredRow, void, undefined> {
  const { bounds, reverse } = plan.path
  const inKeyOrder = keyRanges(bounds, scope)
  const ranges = reverse ? inKeyOrder.toReversed() : inKeyOrder
  let left = limit
  for (const whole of ranges) {
    const range = remaining(whole, { reverse, after })
    if (range === undefined) continue
    const scan = {
      ...range,
      reverse,
      ...(left === undefined ? {} : { limit: left }),
      ...(signal === undefined ? {} : { signal }),
    }
    for await (const row of scanRows(transaction, plan.table, scan)) {
      yield row
      if (left !== undefined) left -= 1
    }
    if (left !== undefined && left <= 0) return
  }
}

/** What of a range still lies ahead of the last row read, in the direction of the walk. */
function remaining(
  range: KeyRange,
  { reverse, after }: { readonly reverse: boolean; readonly after: Uint8Array | undefined },
): KeyRange | undefined {
  if (after === undefined) return range
  let { start, end } = range
  if (reverse && compareRowKeys(after, end) < 0) end = after
  if (!reverse && compareRowKeys(after, start) >= 0) start = keyAfter(after)
  return compareRowKeys(start, end) < 0 ? { start, end } : undefined
}

/**
 * LIKE :pattern counts as a bound when the statement is planned; a pattern that begins with a
 * wildcard turns out to be none.
 */
function requireBound(plan: RangeScanPlan | DeletePlan, scope: Scope): void {
  const { bounds, mayWalk } = plan.path
  if (mayWalk || bounds.points.length > 0) return
  const boundsNothing = bounds.range.every(
    (condition) => condition.kind === 'prefix' && condition.text(scope) === '',
  )
  if (!boundsNothing) return
  throw unbounded({
    statement: plan.kind === 'rangeScan' ? 'SCAN' : 'DELETE',
    position: plan.position,
    table: plan.table,
    keys: [bounds.key],
    hasWhere: true,
  })
}
