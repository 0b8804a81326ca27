// SPDX-License-Identifier: Apache-2.0
import { refusalOf } from '../../storage/cells/call-check.ts'
import {
  CellStoreError,
  type CellStoreLimits,
  type RowMutations,
} from '../../storage/cells/cell-store.ts'
import { keyString } from '../../storage/cells/row-key.ts'

/**
 * Why an entry of `mutateRows` is wrong, or null. A row stands once in a call, because these engines carry its entries
 * out in any order, also those of one row. `checkMore` throws CellStoreError for what only its engine refuses.
 */
export function refusalsOf(
  entries: readonly RowMutations[],
  limits: CellStoreLimits,
  checkMore?: (entry: RowMutations) => void,
): Array<CellStoreError | null> {
  const seen = new Set<string>()
  return entries.map((entry) => {
    const key = keyString(entry.row)
    const isRepeated = seen.has(key)
    seen.add(key)
    const refusal = refusalOf(entry, limits, checkMore)
    if (refusal !== null || !isRepeated) return refusal
    return new CellStoreError('invalid', 'A row stands at most once in a call.')
  })
}
