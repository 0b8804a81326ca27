// SPDX-License-Identifier: Apache-2.0

/** A number that the driver knows, or the two between which it lies because answers were lost. */
export type Counted = { readonly acknowledged: number; readonly ambiguous: number }

/** What the driver saw of all runs since the store was loaded; the checks compare the store with it. */
export type RunFacts = {
  readonly tradeResults: Counted
  /** By symbol, in shares that Market-Feed reported; a symbol that is absent had none. */
  readonly tickerVolume: ReadonlyMap<string, Counted>
  /** Ids of orders that were rolled back on purpose. */
  readonly forcedRollbacks: readonly number[]
  /** Whether Trade-Cleanup ran, and no order was placed since. */
  readonly isCleanedUp: boolean
}

/** The facts right after the load. */
export const NO_RUN: RunFacts = {
  tradeResults: { acknowledged: 0, ambiguous: 0 },
  tickerVolume: new Map(),
  forcedRollbacks: [],
  isCleanedUp: true,
}
