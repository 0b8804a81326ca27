// SPDX-License-Identifier: Apache-2.0
import type { Transaction } from '../../storage/storage.ts'
import type { BenchStore } from './bench-store.ts'

/** The same read-only transaction `uses` times, then the next one. */
export function reusedTransactions(
  { storage }: BenchStore,
  uses: number,
): () => Promise<Transaction> {
  let current: Transaction | undefined
  let left = 0
  return async () => {
    if (current === undefined || left === 0) {
      await current?.commit()
      current = await storage.begin({ readOnly: true })
      left = uses
    }
    left -= 1
    return current
  }
}
