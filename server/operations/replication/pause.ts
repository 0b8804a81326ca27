// SPDX-License-Identifier: Apache-2.0
import type { Randomness } from '../../../storage/storage.ts'
import { backoffMs } from '../../backoff.ts'

const PAUSE = { firstMs: 200, maxMs: 5_000 }

/** How long a standby waits after so many failures in a row. */
export function pauseMs(failures: number, randomness: Randomness): number {
  return backoffMs(failures, PAUSE, randomness)
}
