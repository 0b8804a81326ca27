// SPDX-License-Identifier: Apache-2.0
import type { SubscriptionPlan } from '../../../planner/planner.ts'
import { PlanError, WorkMeter } from '../../../planner/planner.ts'
import type { FeedCommit, Timestamp } from '../../../storage/storage.ts'
import type { AnswerWriter } from '../../answers/answer-text.ts'
import type { Turns } from '../../budgets/turns.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import type { CommitImages } from '../matching/commit-images.ts'
import { changeText } from '../matching/row-change.ts'
import type { SubscribedQuery } from '../matching/subscribed-query.ts'
import type { SubscriptionIndex } from '../matching/subscription-index.ts'
import { ListFrames } from './list-frames.ts'
import { SubscriptionFrame } from './subscription-frame.ts'

/** A frame for all subscriptions of a query. */
export type ChangeFrame = {
  readonly kind: 'frame'
  readonly commitTs: Timestamp
  readonly query: SubscribedQuery
  /** As which its rows are seen. */
  readonly plan: SubscriptionPlan
  readonly frame: SubscriptionFrame
  /** The row of the commit to continue from; absent after the last frame. */
  readonly next?: number
}

/** What a commit has for the subscriptions of a query. */
export type QueryChange =
  | ChangeFrame
  /** The query cannot be computed of a row of the commit. */
  | { readonly kind: 'failure'; readonly query: SubscribedQuery; readonly error: unknown }

/**
 * The changes of one commit for all queries of the index, as frames, each made once. Of a long commit
 * no more than a frame for each query is held at a time. Beginning `from` a row that a frame of before
 * named as its `next`, the frames are those that are missing.
 */
export async function* changeFrames(
  { commitTs, rows }: FeedCommit,
  from: number,
  working: {
    readonly images: CommitImages
    readonly index: SubscriptionIndex
    readonly writer: AnswerWriter
    readonly turns: Turns
  },
): AsyncGenerator<QueryChange, void, undefined> {
  const { images, index, writer, turns } = working
  const seen = new Map<SubscribedQuery, Seen>()
  let unlooked = 0
  for await (const { position, key, subscriptions, images: row } of images.read(
    rows,
    from,
    index,
  )) {
    for (const { query, plan } of subscriptions.concernedBy(key, row)) {
      const known = seen.get(query) ?? newlySeen(plan, commitTs, rows.length)
      seen.set(query, known)
      const { meter } = known.work
      const before = meter.spent
      let text: string | undefined
      try {
        text = changeText(plan, row, { writer, integers: query.integers, work: meter })
        known.work.requireWithin()
      } catch (error) {
        seen.delete(query)
        index.delete(query)
        yield { kind: 'failure', query, error }
        continue
      }
      const full = text === undefined ? undefined : known.list.add(text, position)
      if (full !== undefined) yield { kind: 'frame', commitTs, query, plan, ...full }
      // To look at the clock would take as long as most statements do.
      unlooked += meter.spent - before + QUERY_UNITS
      if (unlooked < LOOK_UNITS) continue
      unlooked = 0
      if (turns.isDue) await turns.pause()
    }
    if (turns.isDue) await turns.pause()
  }
  for (const [query, { plan, list }] of seen) {
    const frame = list.end()
    if (frame !== undefined) yield { kind: 'frame', commitTs, query, plan, frame }
  }
}

/** What has been found of a commit for one query. */
type Seen = {
  readonly plan: SubscriptionPlan
  readonly list: ListFrames
  readonly work: FilterWork
}

/** What it costs to ask a query at all, in units of work, and after how many of them the clock is looked at. */
const QUERY_UNITS = 100
const LOOK_UNITS = 50_000

function newlySeen(plan: SubscriptionPlan, commitTs: Timestamp, rowsOfCommit: number): Seen {
  const list = new ListFrames(frameMaker(commitTs))
  return { plan, list, work: new FilterWork(rowsOfCommit) }
}

function frameMaker(commitTs: Timestamp) {
  return (changes: string, isLast: boolean) =>
    new SubscriptionFrame(
      'change',
      `,"commitTimestamp":${commitTs},"changes":[${changes}],"last":${isLast}}`,
    )
}

/**
 * What one statement spends on the rows of one commit. All who are subscribed wait for each other's statements,
 * so none may spend more than `filterWorkMax`, or `filterRowWorkMax` for each row of a commit of very many.
 */
class FilterWork {
  readonly meter = new WorkMeter()
  readonly #max: number

  constructor(rowsOfCommit: number) {
    const { filterWorkMax, filterRowWorkMax } = SERVER_LIMITS
    this.#max = Math.max(filterWorkMax, filterRowWorkMax * rowsOfCommit)
  }

  /** Throws PlanError limit_exceeded. To be called after each row. */
  requireWithin(): void {
    const { spent } = this.meter
    if (spent <= this.#max) return
    const message = `The subscription takes more than ${this.#max} units of work for one commit.`
    throw new PlanError('limit_exceeded', message, {
      hint: 'Subscribe to fewer rows, or with fewer conditions on shorter values.',
      fields: { limit: 'filterWorkMax', limitValue: this.#max, actual: spent },
    })
  }
}
