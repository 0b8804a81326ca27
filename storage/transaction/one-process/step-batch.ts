// SPDX-License-Identifier: Apache-2.0
import { CellStoreError } from '../../cell-store/cell-store.ts'
import type { StepList } from '../../cell-store/embedded-cell-store.ts'
import { Backoff } from '../protocol/backoff.ts'
import type { EmbeddedContext } from './embedded-context.ts'

/**
 * Queues a batch until the store takes it: the outcome is decided, and what follows from it has to come
 * about. Rejects with CellStoreError when the store has failed or is being closed; then the next start
 * finds the locks.
 */
export async function applyUntilTaken(
  context: EmbeddedContext,
  batch: StepList,
): Promise<boolean[]> {
  const backoff = new Backoff(context, { firstMs: 10, totalMs: Number.POSITIVE_INFINITY })
  for (;;) {
    try {
      return await context.cellStore.applyAtomically(batch)
    } catch (error) {
      if (!isNotTakenYet(error)) throw error
      await backoff.wait(context.stopping)
    }
  }
}

function isNotTakenYet(error: unknown): boolean {
  if (!(error instanceof CellStoreError)) return false
  return error.kind === 'notApplied' || error.kind === 'full'
}
