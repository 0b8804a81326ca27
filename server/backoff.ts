// SPDX-License-Identifier: Apache-2.0
import type { Randomness } from '../storage/storage.ts'

export type Backoff = { readonly firstMs: number; readonly maxMs: number }

/**
 * Pure: how long to wait after so many failures in a row: twice as long each time, half of it by chance, so that not
 * all come at once.
 */
export function backoffMs(
  failures: number,
  { firstMs, maxMs }: Backoff,
  randomness: Pick<Randomness, 'fraction'>,
): number {
  const boundMs = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30))
  return boundMs * (0.5 + randomness.fraction() / 2)
}
