// SPDX-License-Identifier: Apache-2.0
import { MarkFile } from './mark-file.ts'

/** Of a folder whose store was promoted. */
type PromotionMark = {
  /** The name of the history that began with its last promotion; absent from the promotion to the start after it. */
  readonly history?: string
}

const PROMOTION_MARK = new MarkFile<PromotionMark>('promoted.json', ({ history }) =>
  history === undefined ? {} : { history: String(history) },
)

/** The store begins an epoch at its next start, and that one is its promotion. */
export function markPromoted(dataDirectory: string): void {
  PROMOTION_MARK.write(dataDirectory, {})
}

/** Whether no server has opened the store since it was promoted. */
export function isJustPromoted(dataDirectory: string): boolean {
  const mark = PROMOTION_MARK.read(dataDirectory)
  return mark !== undefined && mark.history === undefined
}

/**
 * The history that began with the last promotion of an open store, whose own is called so; empty where it was never
 * promoted. Of two primaries of one store that one is right whose promotion is the newer one: its epoch began above all
 * that the other had told it, also when the other has begun more epochs since.
 *
 *     a   epoch 100, copied to b     b   promoted: epoch 150
 *     a   starts again: epoch 180, never promoted: b has taken its place
 *     a   copies from b, and is promoted: epoch 230: it has taken the place of b
 */
export function promotionOf(dataDirectory: string, history: string): string {
  const mark = PROMOTION_MARK.read(dataDirectory)
  if (mark === undefined) return ''
  if (mark.history !== undefined) return mark.history
  // A store without room for an epoch begins it later.
  if (epochOf(history) !== '') PROMOTION_MARK.write(dataDirectory, { history })
  return history
}

/** Whether a promotion is newer than another one of the same store. */
export function isNewerPromotion(promotion: string, own: OwnPromotion): boolean {
  const [id = ''] = promotion.split('.')
  // Epochs begin with the timestamp above which they do, in digits of one length.
  return id === own.id && epochOf(promotion) > epochOf(own.promotion)
}

type OwnPromotion = { readonly id: string; readonly promotion: string }

function epochOf(history: string): string {
  return history.split('.')[1] ?? ''
}
