// SPDX-License-Identifier: Apache-2.0
import { MemoryCellStore } from '../../storage/cells/memory/memory-cell-store.ts'
import { openGateway } from '../../storage/storage.ts'
import { FilledStore } from '../embedded/filled-store.ts'
import type { Operation } from '../embedded/operations.ts'
import { LockstepCellStore } from './lockstep-cell-store.ts'

const ROWS = 8
/** What a gateway asks of the store in the background comes between now and then. */
const COUNTS = 3

/** How often one operation, with no other at the same time, has to wait for the store of a gateway. */
export async function roundTripsOf(prepare: (store: FilledStore) => Operation): Promise<number> {
  const counted = new LockstepCellStore(new MemoryCellStore(), async () => {})
  const storage = await openGateway(counted, { ownsCellStore: true })
  const store = new FilledStore(ROWS, counted, storage)
  try {
    const surroundings = { signal: new AbortController().signal, say() {} }
    await store.fillRaw(surroundings)
    await store.fillTransactions(surroundings)
    const operation = prepare(store)
    // The first one of a transaction that is shared begins it as well.
    await operation(0, ROWS)
    let fewest = Infinity
    for (let row = 1; row <= COUNTS; row += 1) {
      await counted.quiet()
      const { waits } = await counted.count(async () => operation(row, ROWS + row))
      fewest = Math.min(fewest, waits)
    }
    return fewest
  } finally {
    await store.close()
  }
}
