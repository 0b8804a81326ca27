// SPDX-License-Identifier: Apache-2.0
import type { SubscriptionPlan } from '../../../../planner/planner.ts'
import { PlanError, WorkMeter } from '../../../../planner/planner.ts'
import type { FeedCommit, Timestamp } from '../../../../storage/storage.ts'
import type { Turns } from '../../../guard/budgets/turns.ts'
import { SERVER_LIMITS } from '../../../limits.ts'
import type { AnswerWriter } from '../../../requests/answers/answer-text.ts'
import type { CommitImages } from '../matching/commit-images.ts'
import { changeText, type RowImages } from '../matching/row-change.ts'
import type { SubscribedQuery } from '../matching/subscribed-query.ts'
import type { SubscriptionIndex } from '../matching/subscription-index.ts'
import { ListFrames } from './list-frames.ts'
import { SubscriptionFrame } from './subscription-frame.ts'
import type { WorkAccount } from './work-accounts.ts'

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
  | CostlyQuery

/** A client has spent more than it may on the commit, and most of it on this query. */
export type CostlyQuery = {
  readonly kind: 'costly'
  readonly query: SubscribedQuery
  readonly account: WorkAccount
  /** How much of it that is. */
  readonly spent: number
}

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
    /** Who pays for a query; undefined where nobody wants it any more. Without it nothing is counted together. */
    readonly accountOf?: ((query: SubscribedQuery) => WorkAccount | undefined) | undefined
  },
): AsyncGenerator<QueryChange, void, undefined> {
  const { images, index, writer, turns, accountOf } = working
  const seen = new Map<SubscribedQuery, Seen>()
  let unlooked = 0
  for await (const { position, key, subscriptions, images: row } of images.read(
    rows,
    from,
    index,
  )) {
    for (const { query, plan } of subscriptions.concernedBy(key, row)) {
      // It may have left while the queries before it were looked at.
      if (!index.has(query)) continue
      const known = seen.get(query) ?? newlySeen(plan, commitTs, rows.length, accountOf?.(query))
      seen.set(query, known)
      const looked = look(known, row, { writer, integers: query.integers, work: known.work.meter })
      // To look at the clock would take as long as most statements do.
      unlooked += looked.spent
      if (unlooked >= LOOK_UNITS) {
        unlooked = 0
        // Before anything is told: what ends by it begins no other work in this turn.
        if (turns.isDue) await turns.pause()
      }
      if (looked.kind === 'failure') {
        seen.delete(query)
        index.delete(query)
        yield { kind: 'failure', query, error: looked.error }
        continue
      }
      const full = looked.text === undefined ? undefined : known.list.add(looked.text, position)
      if (full !== undefined) yield { kind: 'frame', commitTs, query, plan, ...full }
      const costly = known.account && overdrawn(known.account, known, looked.spent, seen)
      if (costly === undefined) continue
      yield costly
      for (const [other, one] of seen) {
        if (one.account !== costly.account) continue
        one.account = accountOf?.(other)
        if (one.account === undefined) seen.delete(other)
      }
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
  account: WorkAccount | undefined
  /** Of the account. */
  spent: number
}

type Looked =
  | { readonly kind: 'change'; readonly text: string | undefined; readonly spent: number }
  | { readonly kind: 'failure'; readonly error: unknown; readonly spent: number }

/** What becomes of a row for a query, and what it costs to ask. */
function look(known: Seen, row: RowImages, form: Parameters<typeof changeText>[2]): Looked {
  const { meter } = known.work
  const before = meter.spent - QUERY_UNITS
  try {
    const text = changeText(known.plan, row, form)
    known.work.requireWithin()
    return { kind: 'change', text, spent: meter.spent - before }
  } catch (error) {
    return { kind: 'failure', error, spent: meter.spent - before }
  }
}

/** Pays for a query; returns the costliest of the client where it has spent more than it may. */
function overdrawn(
  account: WorkAccount,
  meter: Seen,
  units: number,
  seen: ReadonlyMap<SubscribedQuery, Seen>,
): CostlyQuery | undefined {
  meter.spent += units
  account.spent += units
  if (account.spent <= account.max) return undefined
  let costliest: readonly [SubscribedQuery, Seen] | undefined
  for (const entry of seen) {
    const isOfClient = entry[1].account === account
    if (isOfClient && entry[1].spent >= (costliest?.[1].spent ?? 0)) costliest = entry
  }
  if (costliest === undefined) return undefined
  return { kind: 'costly', query: costliest[0], account, spent: costliest[1].spent }
}

/** What it costs to ask a query at all, in units of work, and after how many of them the clock is looked at. */
const QUERY_UNITS = 100
const LOOK_UNITS = 50_000

function newlySeen(
  plan: SubscriptionPlan,
  commitTs: Timestamp,
  rowsOfCommit: number,
  account: WorkAccount | undefined,
): Seen {
  const list = new ListFrames(frameMaker(commitTs))
  return { plan, list, work: new FilterWork(rowsOfCommit), account, spent: 0 }
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
