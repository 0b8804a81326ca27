// SPDX-License-Identifier: Apache-2.0
import { openSqliteCellStore } from '../../storage/cell-store/sqlite/sqlite-cell-store.ts'
import { batches, itemId, itemValue } from '../load/data.ts'
import { Random } from '../load/random.ts'

/** An own store, in this folder, with so many items. */
export type RawPutsOrder = { readonly folder: string; readonly rows: number }

const ROWS_PER_LOAD = 1_000

type CellStore = Awaited<ReturnType<typeof openSqliteCellStore>>

/**
 * Puts the value of a SET into a cell, durably: the same store, the same thread that writes and the same
 * group commit as the product, and no SQL, no transaction and no log of commits.
 */
export class RawPuts {
  readonly #store: CellStore
  #timestamp = 0

  private constructor(store: CellStore) {
    this.#store = store
  }

  static async open({ folder, rows }: RawPutsOrder): Promise<RawPuts> {
    const puts = new RawPuts(await openSqliteCellStore({ dataDirectory: folder }))
    const random = new Random(1)
    for (const numbers of batches(rows, ROWS_PER_LOAD)) {
      await puts.#mutate(numbers.map((number) => [itemId(number), itemValue(random, number)]))
    }
    return puts
  }

  /** `body` is a request that sets an item. */
  async put(body: unknown): Promise<void> {
    const { params } = body as { readonly params: { readonly id: string; readonly value: string } }
    await this.#mutate([[params.id, params.value]])
  }

  /** Each put is a new version, as that of a transaction is. */
  async #mutate(items: ReadonlyArray<readonly [id: string, value: string]>): Promise<void> {
    this.#timestamp += 1
    const timestamp = this.#timestamp
    const errors = await this.#store.mutateRows(
      items.map(([id, text]) => {
        const value = Buffer.from(text)
        const set = { kind: 'setCell', family: 'data', qualifier: '0', timestamp, value } as const
        return { row: Buffer.from(id), mutations: [set] }
      }),
    )
    for (const error of errors) if (error !== null) throw error
  }
}
