// SPDX-License-Identifier: Apache-2.0

type Draws = { below(count: number): number }

/** The masks by which some numbers come up more often than others. */
export type Skew = { readonly mask: number; readonly shift: number }

/**
 * A number from `first` to `last`, not all alike: the bits of two uniform draws are united, so that
 * numbers with many ones among the bits of the mask are frequent.
 */
export function nonUniform(
  random: Draws,
  first: number,
  last: number,
  { mask, shift }: Skew,
): number {
  const count = last - first + 1
  const uniform = BigInt(first + random.below(count))
  const ones = BigInt(random.below(mask + 1)) << BigInt(shift)
  return first + Number((uniform | ones) % BigInt(count))
}

/** For so many trades: 16 bits from the seventh on at the 17.28 million trades of a full load unit. */
export function skewOfTrades(trades: number): Skew {
  const bits = Math.floor(Math.log2(trades)) - 1
  const width = Math.min(16, bits)
  return { mask: 2 ** width - 1, shift: bits - width }
}

/** For times of a history of so many milliseconds: 12 bits from the 16th on at 300 days. */
export function skewOfTimes(ms: number): Skew {
  const bits = Math.floor(Math.log2(ms)) - 5
  const shift = Math.min(16, bits - 3)
  return { mask: 2 ** (bits - shift) - 1, shift }
}

/** The widest mask for numbers from 0 to `count` - 1. */
export function skewOfWeeks(count: number): Skew {
  return { mask: 2 ** Math.floor(Math.log2(count)) - 1, shift: 0 }
}
