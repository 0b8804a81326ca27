// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { CellStoreError } from '../../../storage/cells/cell-store.ts'
import type { StepList } from '../../../storage/cells/embedded-cell-store.ts'
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import type { Note } from '../../../storage/cells/note.ts'
import { Storage, type Transaction } from '../../../storage/storage.ts'
import { ManualClock } from '../../manual-clock.ts'
import { rowKey } from '../../storage/cell-notation.ts'
import { COLUMN } from '../../storage/protocol-world.ts'

/** Takes no write while its disk is full. */
class FullCellStore extends MemoryCellStore {
  isFull = false

  override async checkAndMutateRow(...call: Parameters<MemoryCellStore['checkAndMutateRow']>) {
    this.#requireRoom()
    return await super.checkAndMutateRow(...call)
  }

  override async applyAtomically(batch: StepList, note?: Note): Promise<boolean[]> {
    this.#requireRoom()
    return await super.applyAtomically(batch, note)
  }

  #requireRoom(): void {
    if (this.isFull) throw new CellStoreError('full', 'The disk is full.')
  }
}

async function write(storage: Storage, value: string): Promise<void> {
  const transaction = await storage.begin()
  transaction.put(rowKey('bob'), COLUMN, Buffer.from(value))
  await transaction.commit()
}

async function read(transaction: Transaction): Promise<string> {
  const row = await transaction.getRow(rowKey('bob'), [COLUMN])
  return Buffer.from(row?.columns.get(COLUMN)?.value ?? []).toString()
}

/**
 * The disk is full, and the oracle's mark cannot be raised. A reader sees what was committed last, and sees the
 * same when the disk has room again and Bob is written.
 */
export async function snapshotOnAFullDisk(): Promise<void> {
  const cellStore = new FullCellStore()
  const clock = new ManualClock()
  const storage = await Storage.open(cellStore, { owner: 'exclusive', clock })
  await write(storage, '3')
  cellStore.isFull = true
  await clock.advance(10_000)
  // The first is what finds that the mark cannot be raised.
  ;(await storage.begin()).rollback()
  const reader = await storage.begin()
  assert.equal(await read(reader), '3')
  assert.throws(() => reader.put(rowKey('joe'), COLUMN, Buffer.from('9')), { code: 'disk_full' })
  cellStore.isFull = false
  await clock.advance(1_000)
  await write(storage, '9')
  assert.equal(await read(reader), '3', 'a snapshot does not change')
  assert.equal(await read(await storage.begin()), '9')
  await storage.close()
}
