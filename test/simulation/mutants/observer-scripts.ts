// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { CheckAndMutate } from '../../../storage/cells/cell-store.ts'
import type { StepList } from '../../../storage/cells/embedded-cell-store.ts'
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import type { Note } from '../../../storage/cells/note.ts'
import { clearNotification } from '../../../storage/observers/notifications/clear-notification.ts'
import { findPendingChange } from '../../../storage/observers/notifications/pending-change.ts'
import { Storage } from '../../../storage/storage.ts'
import { replayObserver } from '../../../storage/tables/tables.ts'
import { setNotify } from '../../../storage/transactions/records/notify-cell.ts'
import { nextTurn } from '../../../storage/turns/turns.ts'
import { rowKey } from '../../storage/cell-notation.ts'
import { ObserverScene } from '../../storage/observer-scene.ts'
import { COLUMN, ProtocolWorld } from '../../storage/protocol-world.ts'

const OBSERVER = 7

/** Joe's lock is committed, as Bob says, and nobody has rolled it forward when the observer looks. */
export async function runMeetsALockThatIsCommitted(): Promise<void> {
  const world = new ProtocolWorld(40)
  await world.given('bob write@8 -> 7 put 3', 'joe lock@7 primary=bob put 9', 'joe.7 notify@7')
  const { resolver } = world.b
  const parts = { cellStore: world.cellStore, settle: resolver.settle.bind(resolver) }
  const row = { key: rowKey('joe'), observerId: OBSERVER, acknowledged: 0, readTs: 20 }
  assert.equal(await findPendingChange(parts, row), 8)
}

/** The notifier commits, and dies before it hears of it: who has been told must be told for good. */
export async function weakNotifierDiesAtItsCommitPoint(): Promise<void> {
  const world = new ProtocolWorld(20)
  const transaction = world.a.beginAt(15)
  transaction.put(rowKey('bob'), COLUMN, Buffer.from('3'))
  transaction.notify(rowKey('joe'), OBSERVER, 'weak')
  // Bob and the row of the log, which names joe, are locked; then bob is committed.
  world.a.faultAt(3, 'crashAfter')
  transaction.commit()
  const until = async (holds: (cell: string) => boolean) => {
    for (let turns = 0; turns < TURNS_MAX; turns += 1) {
      if ((await world.cells()).some(holds)) return
      await new Promise(setImmediate)
    }
    assert.fail((await world.cells()).join('\n'))
  }
  await until((cell) => cell.startsWith('bob write'))
  assert.deepEqual(
    (await world.cells()).filter((cell) => cell.startsWith('joe')),
    ['joe.7 notify@21'],
  )
}

const TURNS_MAX = 10_000

/** A run begins between the start of a weak notifier and its commit, and clears what it has seen. */
export async function runBeginsWithinAWeakNotifier(): Promise<void> {
  const world = new ProtocolWorld(20)
  const transaction = world.a.beginAt(15)
  transaction.put(rowKey('bob'), COLUMN, Buffer.from('3'))
  transaction.notify(rowKey('joe'), OBSERVER, 'weak')
  await transaction.commit()
  const seen = { key: rowKey('joe'), observerId: OBSERVER, seenAt: 18, columns: [COLUMN] }
  await clearNotification(world.cellStore, seen)
  assert.deepEqual(
    (await world.cells()).filter((cell) => cell.startsWith('joe')),
    ['joe.7 notify@21'],
  )
}

/** Holds back the commit of a row of a table, whose transaction has its timestamp then. */
class HoldingCellStore extends MemoryCellStore {
  readonly held = Promise.withResolvers<void>()
  readonly released = Promise.withResolvers<void>()

  override async checkAndMutateRow(row: Uint8Array, step: CheckAndMutate): Promise<boolean> {
    const isCommit = step.ifMatched.some(
      ({ kind, family }) => kind === 'setCell' && family === 'write',
    )
    if (row[0] === 0x01 && isCommit) {
      this.held.resolve()
      await this.released.promise
    }
    return await super.checkAndMutateRow(row, step)
  }
}

/**
 * A transaction has its commit timestamp and is not committed when an observer is created, with a later one. It did
 * not know of the observer, which is told of its row all the same.
 */
export async function rowsNotInViewWhenTheirObserverIsCreated(): Promise<void> {
  const cellStore = new HoldingCellStore()
  const storage = await Storage.open(cellStore, { owner: 'exclusive', commit: 'two-phase' })
  const scene = new ObserverScene(storage)
  await scene.createTable()
  const inserted = scene.insert(1, 'old')
  await cellStore.held.promise
  await scene.define('reader')
  for (let turns = 0; turns < 20; turns += 1) await nextTurn()
  cellStore.released.resolve()
  await inserted
  await scene.untilBackfilled('reader')
  const [status] = await storage.observers.status()
  await storage.close()
  assert.equal(status?.pending, 1)
}

/** Holds back the batches that notify of older transactions, until it is told not to. */
class SlowCellStore extends MemoryCellStore {
  readonly released = Promise.withResolvers<void>()

  override async applyAtomically(list: StepList, note?: Note): Promise<boolean[]> {
    const batch = [...list]
    const isOfOlder = batch.some(({ otherwise }) =>
      otherwise.some(
        (one) => one.family === 'notify' && one.kind === 'setCell' && one.value.length > 0,
      ),
    )
    if (isOfOlder) await this.released.promise
    return await super.applyAtomically(batch, note)
  }
}

/**
 * A run finds a notify cell that tells of nothing. Before it clears that, the row is notified of what was
 * in it before the observer was: that stays.
 */
export async function backfillComesAfterTheLook(): Promise<void> {
  const cellStore = new SlowCellStore()
  // The batch of the row is not the last one, which everybody would wait for who reads the catalog.
  const storage = await Storage.open(cellStore, { owner: 'exclusive', indexBatchRows: 1 })
  const scene = new ObserverScene(storage)
  await scene.createTable()
  await scene.insert(1, 'old')
  const observerId = await scene.define('reader')
  for (let turns = 0; turns < 20; turns += 1) await nextTurn()
  const mutations = [setNotify(observerId, 1)]
  await cellStore.mutateRows([{ row: await scene.key(1), mutations }])
  const notification = await scene.next('reader')
  const run = await storage.begin()
  assert.equal(await notification.acknowledge(run), 'alreadyObserved')
  run.rollback()
  cellStore.released.resolve()
  while ((await scene.cells(1, 'notify')).length < 2) await nextTurn()
  await notification.committed()
  const cells = await scene.cells(1, 'notify')
  assert.ok(cells.length > 0, 'the observer is still to be told')
  assert.deepEqual(await scene.runNext('reader'), { text: 'old' })
  await storage.close()
}

/** A REPLAY asks for the changes of one row, while CREATE OBSERVER has still to tell of the older ones. */
export async function replayWhileOlderRowsAreBeingTold(): Promise<void> {
  const storage = await Storage.open(new MemoryCellStore(), {
    owner: 'exclusive',
    indexBatchRows: 1,
  })
  const scene = new ObserverScene(storage)
  await scene.createTable()
  const rows = 40
  for (let id = 1; id <= rows; id += 1) await scene.insert(id, 'old')
  await scene.define('reader')
  await scene.commit(async (transaction, catalog) => {
    assert.equal(catalog.observer('reader')?.observer.isBackfilled, false)
    return replayObserver(transaction, catalog, 'reader', transaction.startTs)
  })
  await scene.untilBackfilled('reader')
  const [status] = await storage.observers.status()
  assert.equal(status?.pending, rows)
  await storage.close()
}
