// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../../../../storage/storage.ts'
import { ListFrames } from '../../frames/list-frames.ts'
import { SubscriptionFrame } from '../../frames/subscription-frame.ts'
import { type RowList, type Splice, splicesOf } from './row-list.ts'

/** Longer runs of rows are cut, so that a frame has room for its part. */
const SPLICE_BYTES_MAX = 256 * 1024

/** A list of rows as of a moment, with the rows as texts. */
export type ListedRows = {
  readonly timestamp: Timestamp
  readonly list: RowList
  readonly texts: readonly string[]
}

/** The frames that tell the whole list. */
export function rowsFrames({ timestamp, list, texts }: ListedRows): SubscriptionFrame[] {
  const frames: SubscriptionFrame[] = []
  const rows = new ListFrames((items) => new SubscriptionFrame('rows', `,"rows":[${items}]}`))
  texts.forEach((text, at) => {
    const full = rows.add(text, at)
    if (full !== undefined) frames.push(full.frame)
  })
  const last = rows.end()
  if (last !== undefined) frames.push(last)
  const { digest } = list
  return [...frames, SubscriptionFrame.of('snapshotEnd', { timestamp, digest })]
}

/** The frames that make the list out of one of before; none where it is the same. */
export function patchFrames(before: RowList, listed: ListedRows): SubscriptionFrame[] {
  return framesOf(listed, splicesOf(before.rows(), listed.list.rows()))
}

/** The frames that put the list in the place of another, whatever was in that. */
export function replacingFrames(before: RowList, listed: ListedRows): SubscriptionFrame[] {
  const [deleted, end] = [before.length, listed.list.length]
  return framesOf(listed, [{ at: 0, deleted, end }])
}

function framesOf(
  { timestamp, list, texts }: ListedRows,
  splices: readonly Splice[],
): SubscriptionFrame[] {
  const frames: SubscriptionFrame[] = []
  const parts = new ListFrames((items, isLast) => {
    const end = isLast ? `true,"digest":"${list.digest}"` : 'false'
    const text = `,"timestamp":${timestamp},"splice":[${items}],"last":${end}}`
    return new SubscriptionFrame('patch', text)
  })
  for (const splice of splices.flatMap((whole) => cut(whole, texts))) {
    const rows = texts.slice(splice.at, splice.end).join()
    const full = parts.add(`[${splice.at},${splice.deleted},[${rows}]]`, splice.at)
    if (full !== undefined) frames.push(full.frame)
  }
  const last = parts.end()
  return last === undefined ? frames : [...frames, last]
}

/** The first part deletes, and each next one adds behind the one before. */
function cut({ at, deleted, end }: Splice, texts: readonly string[]): Splice[] {
  const parts: Splice[] = []
  let begin = at
  let bytes = 0
  const take = (to: number) => {
    parts.push({ at: begin, deleted: begin === at ? deleted : 0, end: to })
    begin = to
    bytes = 0
  }
  for (let place = at; place < end; place += 1) {
    const size = Buffer.byteLength(texts[place] as string)
    if (bytes > 0 && bytes + size > SPLICE_BYTES_MAX) take(place)
    bytes += size
  }
  take(end)
  return parts
}
