// SPDX-License-Identifier: Apache-2.0
import { fillDataDirectory, insertRows, makeTable } from '../embedded/data-directory.ts'
import type { Surroundings } from '../harness/experiment.ts'
import { batches, itemId, itemValue } from '../load/data.ts'
import { Random } from '../load/random.ts'

const ROWS_PER_TRANSACTION = 1_000
const LOAD_SEED = 1

/** Fills a new data directory with the items of `load/data.ts`, before any server uses it. */
export async function loadItems(
  dataDirectory: string,
  rows: number,
  { signal, say }: Pick<Surroundings, 'signal' | 'say'>,
): Promise<void> {
  await fillDataDirectory(dataDirectory, async (storage) => {
    await makeTable(storage, ITEMS)
    const random = new Random(LOAD_SEED)
    for (const numbers of batches(rows, ROWS_PER_TRANSACTION)) {
      signal.throwIfAborted()
      const items = numbers.map((number) => [itemId(number), itemValue(random, number)])
      await insertRows(storage, ITEMS.name, items)
      say(`${(numbers[0] as number).toLocaleString('en')} of ${rows.toLocaleString('en')} rows`)
    }
  })
}

const ITEMS = {
  name: 'item',
  columns: [
    { name: 'id', type: 'TEXT', notNull: true },
    { name: 'value', type: 'TEXT', notNull: true },
  ],
  primaryKey: [{ column: 'id', descending: false }],
} as const
