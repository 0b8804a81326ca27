// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { ForwardingCellStore } from '../../../bench/engines/forwarding-cell-store.ts'
import { SeededRandomness } from '../../../test/seeded-randomness.ts'
import { column } from '../../../test/storage/catalog-scene.ts'
import { putRow } from '../../../test/storage/row-writes.ts'
import type { CellStore, CheckAndMutate, Increment } from '../../cells/cell-store.ts'
import { MemoryCellStore } from '../../cells/memory/memory-cell-store.ts'
import type { RowFilter } from '../../cells/row-filter.ts'
import type { Storage } from '../../database.ts'
import { openGateway } from '../../open-storage.ts'
import { CatalogReader, requireTable } from './catalog.ts'
import { createTable, dropTable } from './catalog-changes.ts'

const RUNS = 12
const CHANGES = 12
const READERS = 8
/** Turns of the event loop that each way of a call may take. */
const TURNS_MAX = 12

/** Each call takes its time, on the way there and on the way back. */
class SlowCellStore extends ForwardingCellStore {
  readonly atomicScope = 'row'
  readonly #random: SeededRandomness

  constructor(inner: CellStore, random: SeededRandomness) {
    super(inner)
    this.#random = random
  }

  override checkAndMutateRow(row: Uint8Array, step: CheckAndMutate) {
    return this.#slowly(() => super.checkAndMutateRow(row, step))
  }

  override readModifyWriteRow(row: Uint8Array, increments: readonly Increment[]) {
    return this.#slowly(() => super.readModifyWriteRow(row, increments))
  }

  override readRows(keys: readonly Uint8Array[], filter: RowFilter) {
    return this.#slowly(() => super.readRows(keys, filter))
  }

  async #slowly<T>(call: () => Promise<T>): Promise<T> {
    await this.#pause()
    const answer = await call()
    await this.#pause()
    return answer
  }

  async #pause(): Promise<void> {
    // Now and then one is overtaken by a whole commit of others.
    const turnsMax = this.#random.below(10) === 0 ? 40 * TURNS_MAX : TURNS_MAX
    for (let left = this.#random.below(turnsMax); left > 0; left--) await turn()
  }
}

async function slowGateway(shared: MemoryCellStore, random: SeededRandomness): Promise<Storage> {
  return await openGateway(new SlowCellStore(shared, random), {})
}

async function define(storage: Storage, name: string): Promise<void> {
  const transaction = await storage.begin()
  const catalog = await storage.catalog(transaction)
  const columns = [column('id')]
  const newTable = { name, columns, primaryKey: [{ column: 'id', descending: false }] }
  await createTable(transaction, catalog, newTable as never, { ifNotExists: false })
  await transaction.commit()
}

test('a catalog that is known by its fence is the one that the snapshot has', async (t) => {
  const seed = Date.now() % 1_000_000
  t.diagnostic(`seed ${seed}`)
  let known = 0
  for (let run = 0; run < RUNS; run++) {
    const random = new SeededRandomness(seed + run)
    const shared = new MemoryCellStore()
    const definer = await slowGateway(shared, random)
    const reader = await slowGateway(shared, random)
    let isDefining = true
    const read = async () => {
      while (isDefining) {
        await turn()
        const transaction = await reader.begin()
        const given = reader.catalog(transaction)
        if (!(given instanceof Promise)) known += 1
        const { version } = await given
        const there = await new CatalogReader().read(transaction)
        transaction.rollback()
        assert.equal(version, there.version, `seed ${seed + run}`)
      }
    }
    const reading = Promise.all(Array.from({ length: READERS }, read))
    for (let at = 0; at < CHANGES; at++) {
      await define(definer, `t${at}`)
      for (let left = random.below(60); left > 0; left--) await turn()
    }
    isDefining = false
    await reading
    await definer.close()
    await reader.close()
  }
  assert.ok(known > RUNS, `${known} catalogs were known without a look at the store`)
})

/** Calls of the oracle's row stop where the test says, before or after they took effect. */
class GatedCellStore extends ForwardingCellStore {
  readonly atomicScope = 'row'
  beforeStamp: Promise<void> | undefined
  afterStamp: Promise<void> | undefined
  beforeRaise: Promise<void> | undefined
  beforeRead: Promise<void> | undefined
  raised = gate()

  override async readRows(keys: readonly Uint8Array[], filter: RowFilter) {
    await this.beforeRead
    return await super.readRows(keys, filter)
  }

  override async readModifyWriteRow(row: Uint8Array, increments: readonly Increment[]) {
    await this.beforeStamp
    const answer = await super.readModifyWriteRow(row, increments)
    await this.afterStamp
    return answer
  }

  override async checkAndMutateRow(row: Uint8Array, step: CheckAndMutate) {
    const raised = step.otherwise.some(({ qualifier }) => qualifier === 'catalogFence')
    if (raised && this.beforeRaise === undefined) this.raised.resolve()
    if (raised) await this.beforeRaise
    return await super.checkAndMutateRow(row, step)
  }
}

test('a catalog that became known after a stamp was asked for says nothing of that snapshot', async () => {
  const shared = new MemoryCellStore()
  const [definerStore, readerStore] = [new GatedCellStore(shared), new GatedCellStore(shared)]
  const definer = await openGateway(definerStore, {})
  const reader = await openGateway(readerStore, {})
  const [stamp, raise, answer, reading] = [gate(), gate(), gate(), gate()]
  // The opening has written the counters too.
  definerStore.raised = gate()

  // The change has raised the fence once, and takes no commit timestamp yet.
  const defining = define(definer, 't')
  await definerStore.raised.promise
  definerStore.beforeStamp = stamp.promise
  definerStore.beforeRaise = raise.promise
  await settled()
  const before = await reader.begin()
  // On its way for so long, or it would meet the lock of the change, and ask for stamps while it waits.
  readerStore.beforeRead = reading.promise
  const read = Promise.resolve(reader.catalog(before))
  stamp.resolve()
  await settled()

  // It has taken it. A stamp above it is on its way when the catalog from before becomes known.
  readerStore.afterStamp = answer.promise
  const beginning = Promise.resolve(reader.begin())
  await settled()
  raise.resolve()
  await defining
  reading.resolve()
  assert.equal((await read).tables().length, 0)
  answer.resolve()
  const after = await beginning
  assert.equal((await reader.catalog(after)).tables().length, 1)
  await definer.close()
  await reader.close()
})

async function drop(storage: Storage, name: string): Promise<void> {
  const transaction = await storage.begin()
  const catalog = await storage.catalog(transaction)
  await dropTable(transaction, catalog, name, { ifExists: false })
  await transaction.commit()
}

test('a change of one table does not end the writers of another', async (t) => {
  const shared = new MemoryCellStore()
  const definer = await openGateway(shared, {})
  const writer = await openGateway(shared, {})
  t.after(async () => {
    await definer.close()
    await writer.close()
  })
  const names = Array.from({ length: 17 }, (_, number) => `t${number}`)
  for (const name of names) await define(definer, name)
  const written = async (name: string) => {
    const transaction = await writer.begin()
    await putRow(transaction, requireTable(await writer.catalog(transaction), name), [1n], null)
    return transaction
  }
  const [other, sharing] = [await written('t5'), await written('t0')]
  // Its id is 16 more than that of the first: these two have one fence.
  await drop(definer, 't16')
  await other.commit()
  await assert.rejects(sharing.commit(), { code: 'schema_changed' })
})

function gate() {
  return Promise.withResolvers<void>()
}

/** Until whatever does not wait at a gate has run. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 50; turns++) await turn()
}
