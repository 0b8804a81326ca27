// SPDX-License-Identifier: Apache-2.0
import type { SubscriptionPlan } from '../../planner/planner.ts'
import type { FeedCommit, Timestamp } from '../../storage/storage.ts'
import type { AnswerWriter } from '../answer-text.ts'
import type { Turns } from '../turns.ts'
import type { CommitImages } from './commit-images.ts'
import { ListFrames } from './list-frames.ts'
import { changeText } from './row-change.ts'
import type { SubscribedQuery } from './subscribed-query.ts'
import { SubscriptionFrame } from './subscription-frame.ts'
import type { SubscriptionIndex } from './subscription-index.ts'

/** A frame for all subscriptions of a query. */
export type ChangeFrame = {
  readonly kind: 'frame'
  readonly commitTs: Timestamp
  readonly query: SubscribedQuery
  /** As which its rows are seen. */
  readonly plan: SubscriptionPlan
  readonly frame: SubscriptionFrame
  /** The row of the commit to go on from; absent behind the last frame. */
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
  const lists = new Map<
    SubscribedQuery,
    { readonly plan: SubscriptionPlan; readonly list: ListFrames }
  >()
  for await (const { place, key, subscriptions, images: row } of images.read(rows, from, index)) {
    for (const { query, plan } of subscriptions.concernedBy(key, row)) {
      let text: string | undefined
      try {
        text = changeText(plan, row, { writer, integers: query.integers })
      } catch (error) {
        lists.delete(query)
        index.delete(query)
        yield { kind: 'failure', query, error }
      }
      if (text === undefined) continue
      const known = lists.get(query) ?? { plan, list: new ListFrames(frameMaker(commitTs)) }
      lists.set(query, known)
      const full = known.list.add(text, place)
      if (full !== undefined) yield { kind: 'frame', commitTs, query, plan, ...full }
    }
    if (turns.isDue) await turns.pause()
  }
  for (const [query, { plan, list }] of lists) {
    const frame = list.end()
    if (frame !== undefined) yield { kind: 'frame', commitTs, query, plan, frame }
  }
}

function frameMaker(commitTs: Timestamp) {
  return (changes: string, isLast: boolean) =>
    new SubscriptionFrame(
      'change',
      `,"commitTimestamp":${commitTs},"changes":[${changes}],"last":${isLast}}`,
    )
}
