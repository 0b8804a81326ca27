// SPDX-License-Identifier: Apache-2.0

/** Quantities are multiples of 100 and at most 800, and so an order never closes more holdings. */
export const HOLDINGS_OF_ORDER_MAX = 8

/** One holding of an account in a security; a negative quantity was sold short. */
export type OpenHolding = { readonly h_price: number; readonly h_qty: number }

export type Closing<Holding extends OpenHolding> = {
  readonly holding: Holding
  /** What is left of it, with its sign; 0 when the order closes it. */
  readonly after: number
}

export type Closings<Holding extends OpenHolding> = {
  readonly closings: readonly Closing<Holding>[]
  /** What was paid for what is sold now, and what that brings; cents. */
  readonly buyValue: number
  readonly sellValue: number
  /** Of the order, which opens a position of its own: positive when bought, negative when sold short. */
  readonly opened: number
}

/**
 * What an order of so many shares does to a position, whose holdings come in the order in which they
 * are to be closed. `change` is positive for a purchase, negative for a sale.
 *
 *     holdings 100 at 21.00, 200 at 25.00; sale of 150 at 26.00:
 *       the first is closed, 150 of the second stay; bought for 3,350.00, sold for 3,900.00
 */
export function closeHoldings<Holding extends OpenHolding>(
  holdings: readonly Holding[],
  change: number,
  price: number,
): Closings<Holding> {
  const closings: Closing<Holding>[] = []
  let [buyValue, sellValue, left] = [0, 0, Math.abs(change)]
  for (const holding of holdings) {
    const isOpposite = Math.sign(holding.h_qty) === -Math.sign(change)
    if (left === 0 || !isOpposite) break
    const closed = Math.min(left, Math.abs(holding.h_qty))
    const [then, now] = [closed * holding.h_price, closed * price]
    // Shares that were sold short were sold at the holding's price, and are bought back now.
    buyValue += change < 0 ? then : now
    sellValue += change < 0 ? now : then
    left -= closed
    closings.push({ holding, after: holding.h_qty + Math.sign(change) * closed })
  }
  return { closings, buyValue, sellValue, opened: left === 0 ? 0 : Math.sign(change) * left }
}
