// SPDX-License-Identifier: Apache-2.0

export type Tier = 1 | 2 | 3

/** Within a load unit of 1000 customers by rank: which belong to the tier, and how many accounts they have. */
const TIERS_BY_RANK = [
  { tier: 1, first: 0, accountsMin: 1, accountsMax: 4 },
  { tier: 2, first: 200, accountsMin: 2, accountsMax: 8 },
  { tier: 3, first: 800, accountsMin: 5, accountsMax: 10 },
] as const

/** How many securities accounts trade in, by how many accounts their owner has; the mean is 10. */
const BASKETS: Readonly<Record<Tier, Readonly<Record<number, readonly [number, number]>>>> = {
  1: { 1: [6, 14], 2: [4, 16], 3: [2, 18], 4: [2, 18] },
  2: { 2: [7, 13], 3: [5, 15], 4: [4, 16], 5: [3, 17], 6: [2, 18], 7: [2, 18], 8: [2, 18] },
  3: { 5: [4, 16], 6: [4, 16], 7: [3, 17], 8: [3, 17], 9: [2, 18], 10: [2, 18] },
}

/** @param rank 0 to 999. */
export function tierOfRank(rank: number): Tier {
  return rowOfRank(rank).tier
}

/** Exactly 5000 for all ranks together. */
export function accountsOfRank(rank: number): number {
  const { tier, first, accountsMin, accountsMax } = rowOfRank(rank)
  return accountsMin + ((rank - first + tier - 1) % (accountsMax - accountsMin + 1))
}

/** @param accounts As many as the tier allows. */
export function basketBounds(tier: Tier, accounts: number): { min: number; max: number } {
  const [min, max] = BASKETS[tier][accounts] as readonly [number, number]
  return { min, max }
}

function rowOfRank(rank: number) {
  return rank < 200 ? TIERS_BY_RANK[0] : rank < 800 ? TIERS_BY_RANK[1] : TIERS_BY_RANK[2]
}
