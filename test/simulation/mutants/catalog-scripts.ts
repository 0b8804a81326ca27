// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { ForwardingCellStore } from '../../../bench/engines/forwarding-cell-store.ts'
import type { CheckAndMutate } from '../../../storage/cells/cell-store.ts'
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import { openGateway, type Storage, type Transaction } from '../../../storage/storage.ts'
import type { Catalog } from '../../../storage/tables/catalog/catalog.ts'
import { createTable, dropTable, requireTable } from '../../../storage/tables/tables.ts'
import { column } from '../../storage/catalog-scene.ts'
import { putRow } from '../../storage/row-writes.ts'

/** The n-th raise of a fence waits where the script says. */
class FencedCellStore extends ForwardingCellStore {
  readonly atomicScope = 'row'
  readonly gates = new Map<string, Promise<void>>()
  readonly reached = new Map<string, PromiseWithResolvers<void>>()
  readonly raises = new Map<string, number>()

  override async checkAndMutateRow(row: Uint8Array, step: CheckAndMutate) {
    const fences = new Set(step.otherwise.map(({ qualifier }) => qualifier))
    for (const fence of fences) {
      const count = (this.raises.get(fence) ?? 0) + 1
      this.raises.set(fence, count)
      this.reached.get(`${fence} ${count}`)?.resolve()
      await this.gates.get(`${fence} ${count}`)
    }
    return await super.checkAndMutateRow(row, step)
  }
}

/**
 * A drops a table that B knows by the catalog's fence. A has taken its commit timestamp, and B takes a later one before
 * the fences say so: B must not commit (F4).
 */
export async function writerCommitsBetweenTheFences(): Promise<void> {
  const shared = new MemoryCellStore()
  const definerStore = new FencedCellStore(shared)
  const definer = await openGateway(definerStore)
  const writer = await openGateway(shared)
  const [first, last, stamped] = [gate(), gate(), gate()]
  try {
    await change(writer, async (transaction, catalog) => {
      const primaryKey = [{ column: 'id', descending: false }]
      const table = { name: 't', columns: [column('id')], primaryKey } as never
      await createTable(transaction, catalog, table, { ifNotExists: false })
    })
    // Both have what was there when they opened; from here on the raises are counted.
    definerStore.raises.clear()
    definerStore.gates.set('catalogFence 1', first.promise)
    // The table is the first, whose id is 1.
    for (const fence of ['catalogFence', 'schemaFence/1']) {
      definerStore.gates.set(`${fence} 2`, last.promise)
      definerStore.reached.set(`${fence} 2`, stamped)
    }

    // The change cannot raise the catalog's fence yet, and B knows the definition from before.
    await writer.catalog(await writer.begin())
    const dropping = change(definer, async (transaction, catalog) => {
      await dropTable(transaction, catalog, 't', { ifExists: false })
    })
    await settled()
    const transaction = await writer.begin()
    const known = writer.catalog(transaction)
    assert.ok(!(known instanceof Promise), 'it is known without a look at the store')
    await putRow(transaction, requireTable(known, 't'), [1n], null)

    first.resolve()
    await stamped.promise
    await assert.rejects(transaction.commit(), { code: 'schema_changed' })
    last.resolve()
    await dropping
  } finally {
    last.resolve()
    await definer.close()
    await writer.close()
  }
}

async function change(
  storage: Storage,
  work: (transaction: Transaction, catalog: Catalog) => Promise<void>,
): Promise<void> {
  const transaction = await storage.begin()
  await work(transaction, await storage.catalog(transaction))
  await transaction.commit()
}

function gate() {
  return Promise.withResolvers<void>()
}

/** Until whatever does not wait at a gate has run. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 50; turns++) await turn()
}
