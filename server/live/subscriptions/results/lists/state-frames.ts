// SPDX-License-Identifier: Apache-2.0
import type { StatementResult } from '../../../../../planner/planner.ts'
import type { SubscriptionFrame } from '../../frames/subscription-frame.ts'
import { type ListedRows, patchFrames, replacingFrames, rowsFrames } from './list-texts.ts'
import type { RowList } from './row-list.ts'

/** What is kept of an evaluation: no rows, but what tells whether they are others. */
export type ResultState = Omit<ListedRows, 'texts'> & {
  readonly columns: StatementResult['columns']
  readonly shape: string
  /** About how many bytes the read set takes. */
  readonly readBytes: number
  /** Keys and ranges in it. */
  readonly ranges: number
}

/** The frames of one state, made once for all who knew the same before. */
export class StateFrames {
  readonly #listed: ListedRows
  #whole: readonly SubscriptionFrame[] | undefined
  readonly #patches = new Map<RowList, readonly SubscriptionFrame[]>()
  readonly #replacing = new Map<RowList, readonly SubscriptionFrame[]>()

  constructor(listed: ListedRows) {
    this.#listed = listed
  }

  /** For who knows nothing. */
  whole(): readonly SubscriptionFrame[] {
    this.#whole ??= rowsFrames(this.#listed)
    return this.#whole
  }

  /** For who knows this list; none where it is the same. */
  after(list: RowList): readonly SubscriptionFrame[] {
    const known = this.#patches.get(list) ?? patchFrames(list, this.#listed)
    this.#patches.set(list, known)
    return known
  }

  /** For who knows this list, with other columns. */
  inPlaceOf(list: RowList): readonly SubscriptionFrame[] {
    const known = this.#replacing.get(list) ?? replacingFrames(list, this.#listed)
    this.#replacing.set(list, known)
    return known
  }
}
