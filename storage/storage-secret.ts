// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from './cell-store/cell-store.ts'
import { systemRowKey } from './cell-store/row-key.ts'
import { invariant } from './invariant.ts'
import type { Randomness } from './randomness.ts'

/**
 * The secret of this name, made when it is first asked for. It lives in the store, so every gateway
 * and every later run of the server has the same one. Rejects with CellStoreError.
 */
export async function readSecret(
  cellStore: CellStore,
  randomness: Randomness,
  name: string,
): Promise<Uint8Array> {
  const row = systemRowKey(`secret/${name}`)
  const column = { family: 'data', qualifier: '0' } as const
  await cellStore.checkAndMutateRow(row, {
    when: [column],
    ifMatched: [],
    otherwise: [{ ...column, kind: 'setCell', timestamp: 0, value: randomness.bytes(32) }],
  })
  const [image] = await cellStore.readRows([row], [column])
  const secret = image?.cells[0]?.value
  invariant(secret !== undefined, 'I5', { secret: name })
  return secret
}
