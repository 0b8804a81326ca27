// SPDX-License-Identifier: Apache-2.0
import { openSqliteCellStore } from '../../storage/cells/sqlite/sqlite-cell-store.ts'
import { batches, itemId, itemValue } from '../load/data.ts'
import { Random } from '../load/random.ts'

/** An own store, in this folder, with so many items. */
export type RawPutsOrder = { readonly folder: string; readonly rows: number }

const ROWS_PER_LOAD = 1_000

/**
 * A function that puts the value of a request that sets an item into a cell, durably: the same store,
 * the same thread that writes and the same group commit as the product, and no SQL, no transaction and
 * no log of commits.
 */
export async function openRawPuts({
  folder,
  rows,
}: RawPutsOrder): Promise<(body: unknown) => Promise<void>> {
  const store = await openSqliteCellStore({ dataDirectory: folder })
  let timestamp = 0
  const mutate = async (items: ReadonlyArray<readonly [id: string, value: string]>) => {
    // Each put is a new version, as that of a transaction is.
    timestamp += 1
    const errors = await store.mutateRows(
      items.map(([id, text]) => {
        const value = Buffer.from(text)
        const set = { kind: 'setCell', family: 'data', qualifier: '0', timestamp, value } as const
        return { row: Buffer.from(id), mutations: [set] }
      }),
    )
    for (const error of errors) if (error !== null) throw error
  }
  const random = new Random(1)
  for (const numbers of batches(rows, ROWS_PER_LOAD)) {
    await mutate(numbers.map((number) => [itemId(number), itemValue(random, number)]))
  }
  return async (body) => {
    const { params } = body as { readonly params: { readonly id: string; readonly value: string } }
    await mutate([[params.id, params.value]])
  }
}
