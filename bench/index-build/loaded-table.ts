// SPDX-License-Identifier: Apache-2.0
import {
  type Answer,
  changeRows,
  createTable,
  openStorage,
  requireTable,
  type Storage,
} from '../../storage/storage.ts'
import { batches, itemId, itemValue } from '../load/data.ts'
import { Random } from '../load/random.ts'

const ROWS_PER_TRANSACTION = 1_000
const LOAD_SEED = 1

/** Fills a new data directory with the items of `load/data.ts`, before any server uses it. */
export async function loadItems(
  dataDirectory: string,
  rows: number,
  { signal, say }: { readonly signal: AbortSignal; say(text: string): void },
): Promise<void> {
  const storage = await openStorage({ engine: 'sqlite', dataDirectory })
  try {
    await inTransaction(storage, (transaction, catalog) =>
      createTable(transaction, catalog, ITEMS, { ifNotExists: false }),
    )
    const random = new Random(LOAD_SEED)
    for (const numbers of batches(rows, ROWS_PER_TRANSACTION)) {
      signal.throwIfAborted()
      await inTransaction(storage, (transaction, catalog) => {
        const changes = numbers.map((number) => {
          return { before: null, after: [itemId(number), itemValue(random, number)] }
        })
        return changeRows(transaction, requireTable(catalog, ITEMS.name), changes)
      })
      say(`${(numbers[0] as number).toLocaleString('en')} of ${rows.toLocaleString('en')} rows`)
    }
  } finally {
    await storage.close()
  }
}

const ITEMS = {
  name: 'item',
  columns: [
    { name: 'id', type: 'TEXT', notNull: true },
    { name: 'value', type: 'TEXT', notNull: true },
  ],
  primaryKey: [{ column: 'id', descending: false }],
} as const

type Begun = Awaited<ReturnType<Storage['begin']>>

async function inTransaction(
  storage: Storage,
  work: (transaction: Begun, catalog: Awaited<ReturnType<Storage['catalog']>>) => Answer<unknown>,
): Promise<void> {
  const transaction = await storage.begin()
  const catalog = await storage.catalog(transaction)
  await transaction.statement(() => work(transaction, catalog))
  await transaction.commit()
}
