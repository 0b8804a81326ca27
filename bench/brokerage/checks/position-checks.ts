// SPDX-License-Identifier: Apache-2.0
import type { RowOf } from '../schema/schema.ts'
import type { Check } from './check.ts'
import { type HoldingImage, pairOf, type StoreImage } from './store-image.ts'

/** What accounts hold: two tables and a history that must tell the same. */
export const POSITION_CHECKS: readonly Check[] = [
  {
    number: 3,
    title: 'HS_QTY is the sum of H_QTY of its account and symbol',
    *problems({ image }) {
      const sums = sumsByPair(image.holdings)
      for (const [pair, quantity] of image.summaries) {
        const sum = sums.get(pair) ?? 0
        if (sum !== quantity) yield `${pair}: the summary says ${quantity}, the holdings ${sum}`
      }
    },
  },
  {
    number: 4,
    title: 'a pair has a summary, which is not 0, if and only if it has holdings',
    *problems({ image }) {
      const sums = sumsByPair(image.holdings)
      for (const [pair, quantity] of image.summaries) {
        if (quantity === 0) yield `${pair}: the summary is 0`
        if (!sums.has(pair)) yield `${pair}: a summary without holdings`
      }
      for (const pair of sums.keys()) {
        if (!image.summaries.has(pair)) yield `${pair}: holdings without a summary`
      }
    },
  },
  {
    number: 5,
    title: 'all holdings of a pair are bought, or all are sold short',
    *problems({ image }) {
      const signs = new Map<string, number>()
      for (const holding of image.holdings) {
        const pair = pairOfHolding(holding)
        const sign = Math.sign(holding.h_qty)
        if (sign === 0) yield `${pair}: a holding of nothing`
        if (sign !== (signs.get(pair) ?? sign)) yield `${pair}: holdings of both signs`
        signs.set(pair, sign)
      }
    },
  },
  {
    number: 10,
    title: 'the HOLDING_HISTORY of a holding ends at its H_QTY, or at 0 when it is gone',
    *problems({ image }) {
      yield* unexplainedHoldings(image)
      const live = new Map(image.holdings.map((holding) => [holding.h_t_id, holding.h_qty]))
      for (const [holding, changes] of image.histories) {
        const end = endOfHistory(holding, changes)
        const quantity = live.get(holding) ?? 0
        if (end === undefined) yield `holding ${holding}: its changes do not follow each other`
        else if (end !== quantity) yield `holding ${holding}: history says ${end}, not ${quantity}`
      }
    },
  },
]

function* unexplainedHoldings({ holdings, histories }: StoreImage): Iterable<string> {
  for (const { h_t_id } of holdings) {
    if (!histories.has(h_t_id)) yield `holding ${h_t_id}: it has no history`
  }
}

/**
 * The quantity after the last change; undefined when the changes are no chain that begins with nothing.
 * Ids do not tell their order, but a holding only ever shrinks:
 *
 *     before 0 after 400 (opened)   before 400 after 300   before 300 after 0
 */
function endOfHistory(
  holding: number,
  changes: readonly RowOf<'holding_history'>[],
): number | undefined {
  const opening = changes.find((change) => change.hh_before_qty === 0)
  if (opening === undefined || opening.hh_t_id !== holding) return undefined
  const closings = changes
    .filter((change) => change !== opening)
    .sort((one, other) => Math.abs(other.hh_before_qty) - Math.abs(one.hh_before_qty))
  let quantity = opening.hh_after_qty
  for (const { hh_before_qty, hh_after_qty } of closings) {
    if (hh_before_qty !== quantity) return undefined
    quantity = hh_after_qty
  }
  return quantity
}

function sumsByPair(holdings: readonly HoldingImage[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const holding of holdings) {
    const pair = pairOfHolding(holding)
    sums.set(pair, (sums.get(pair) ?? 0) + holding.h_qty)
  }
  return sums
}

function pairOfHolding({ h_ca_id, h_s_symb }: HoldingImage): string {
  return pairOf(h_ca_id, h_s_symb)
}
