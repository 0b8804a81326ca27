// SPDX-License-Identifier: Apache-2.0
import type { Transaction } from '../../storage/storage.ts'
import type { BenchStore } from './bench-store.ts'

/** The same read-only transaction `uses` times, then the next one; only that is to be waited for. */
export function reusedTransactions(
  { storage }: BenchStore,
  uses: number,
): () => Transaction | Promise<Transaction> {
  let current: Transaction | undefined
  let left = 0
  const begin = async () => {
    await current?.commit()
    current = await storage.begin({ readOnly: true })
    left = uses - 1
    return current
  }
  return () => {
    if (current === undefined || left === 0) return begin()
    left -= 1
    return current
  }
}
