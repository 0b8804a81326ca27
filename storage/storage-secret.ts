// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from './cells/cell-store.ts'
import { readPlainRow, replacePlainRow } from './cells/plain-row.ts'
import { systemRowKey } from './cells/row-key.ts'
import type { Clock } from './clock.ts'
import { intact } from './invariant.ts'
import type { Randomness } from './randomness.ts'
import { askedAgain, NEVER_ABORTED } from './transactions/oracle/asked-again.ts'

/**
 * The secret of this name, made when it is first asked for. It lives in the store, so every gateway
 * and every later run of the server has the same one. Rejects with CellStoreError.
 */
export async function readSecret(
  deps: {
    readonly cellStore: CellStore
    readonly clock: Clock
    readonly randomness: Randomness
  },
  name: string,
): Promise<Uint8Array> {
  const { cellStore, clock, randomness } = deps
  const row = systemRowKey(`secret/${name}`)
  return await askedAgain(clock, NEVER_ABORTED, async () => {
    // First, as a store that follows another is only read.
    const known = await readPlainRow(cellStore, row)
    if (known !== undefined) return known
    await replacePlainRow(cellStore, row, undefined, randomness.bytes(32))
    const secret = await readPlainRow(cellStore, row)
    intact(secret !== undefined, 'I5', { secret: name })
    return secret
  })
}
