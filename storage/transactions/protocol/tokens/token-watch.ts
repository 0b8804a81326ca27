// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from '../../../cells/cell-store.ts'
import { readPlainRow } from '../../../cells/plain-row.ts'
import { keyString } from '../../../cells/row-key.ts'
import type { Clock } from '../../../clock.ts'
import { UnchangedValues } from '../../../collections/unchanged-values.ts'
import { invariant } from '../../../invariant.ts'
import { decodeToken, type FoundToken, scanTokens, tokenRow } from './token.ts'

export type WatchedToken = FoundToken & {
  /** For how long it is known to have been the same. */
  readonly unchangedMs: number
  readonly hasEnded: boolean
}

/**
 * Tells which processes of a store have ended: those whose token is gone, or was seen with the same bytes for the life
 * that it says, on the monotonic clock of this process (L1). No time of another machine counts, so none whose clock is
 * days ahead makes others seem dead. Each process waits that life once for each one that ended.
 */
export class TokenWatch {
  readonly #cellStore: CellStore
  readonly #clock: Clock
  readonly #own: string
  readonly #seen: UnchangedValues

  constructor(
    { cellStore, clock }: { readonly cellStore: CellStore; readonly clock: Clock },
    incarnation: string,
  ) {
    this.#cellStore = cellStore
    this.#clock = clock
    this.#own = keyString(tokenRow(incarnation))
    this.#seen = new UnchangedValues(clock)
  }

  /** Of another process than this one. Rejects with CellStoreError. */
  async hasEnded(incarnation: string): Promise<boolean> {
    const row = tokenRow(incarnation)
    invariant(keyString(row) !== this.#own, 'L1', { incarnation })
    const askedMs = this.#clock.monotonicMs()
    const value = await readPlainRow(this.#cellStore, row)
    if (value === undefined) return true
    return this.#watched({ row, value, ...decodeToken(value) }, askedMs).hasEnded
  }

  /** The tokens of those whose incarnation begins so, also of ended ones. Rejects with CellStoreError. */
  async *scan(prefix = ''): AsyncGenerator<WatchedToken> {
    const askedMs = this.#clock.monotonicMs()
    for await (const token of scanTokens(this.#cellStore, { prefix })) {
      yield this.#watched(token, askedMs)
    }
  }

  #watched(token: FoundToken, askedMs: number): WatchedToken {
    const name = keyString(token.row)
    const unchangedMs = this.#seen.saw(name, token.value, askedMs)
    // What this process has not renewed for long it still renews next: that it runs it knows by itself.
    const hasEnded = unchangedMs > token.lifeMs && name !== this.#own
    return { ...token, unchangedMs, hasEnded }
  }
}
