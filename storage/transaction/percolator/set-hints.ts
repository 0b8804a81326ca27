// SPDX-License-Identifier: Apache-2.0
import { mayBeSentAgain } from '../../cell-store/cell-store.ts'
import type { RowStep } from '../../cell-store/embedded-cell-store.ts'
import { Backoff } from '../protocol/backoff.ts'
import type { ProtocolContext } from '../protocol/protocol-context.ts'

/**
 * Sets notify cells beside the rows of a commit; twice does no harm. Whatever becomes of the commit they
 * may stay: a run that finds nothing to do clears them. Rejects with CellStoreError when one may not be
 * there.
 */
export async function setHints(context: ProtocolContext, steps: readonly RowStep[]): Promise<void> {
  if (steps.length === 0) return
  const entries = steps.map(({ row, otherwise }) => ({ row, mutations: otherwise }))
  const backoff = new Backoff(context, HINT_RETRY)
  for (;;) {
    const error = await trySetting(context, entries)
    if (error === undefined) return
    if (!mayBeSentAgain(error) || !(await backoff.wait())) throw error
  }
}

async function trySetting(
  { cellStore }: ProtocolContext,
  entries: Parameters<typeof cellStore.mutateRows>[0],
): Promise<unknown> {
  try {
    const answers = await cellStore.mutateRows(entries)
    return answers.find((answer) => answer !== null) ?? undefined
  } catch (error) {
    return error
  }
}

const HINT_RETRY = { firstMs: 10, totalMs: 5_000 }
