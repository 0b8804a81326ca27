// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CheckAndMutate } from '../../storage/cells/cell-store.ts'
import type { StepList } from '../../storage/cells/embedded-cell-store.ts'
import { MemoryCellStore } from '../../storage/cells/memory/memory-cell-store.ts'
import type { Note } from '../../storage/cells/note.ts'
import { RedoUse } from '../../storage/cells/sqlite/redo/redo-use.ts'
import { Storage } from '../../storage/storage.ts'
import { ManualClock } from '../manual-clock.ts'
import { rowKey } from './cell-notation.ts'
import { COLUMN } from './protocol-world.ts'

/** Counts batches as a store with `--redo-log auto` does. */
class CountingStore extends MemoryCellStore {
  readonly use = new RedoUse('auto')
  others = 0

  override async checkAndMutateRow(row: Uint8Array, step: CheckAndMutate): Promise<boolean> {
    this.others += 1
    this.use.saw({ batch: { kind: 'steps', steps: [{ row, ...step }] }, bytes: 100 })
    return await super.checkAndMutateRow(row, step)
  }

  override async applyAtomically(steps: StepList, note?: Note): Promise<boolean[]> {
    this.use.saw({ batch: { kind: 'steps', steps: [...steps], note }, bytes: 100 })
    return await super.applyAtomically(steps, note)
  }
}

for (const perSecond of [50, 120, 200]) {
  test(`${perSecond} commits a second go through the redo log, though the oracle raises its mark twice a second`, async () => {
    const cellStore = new CountingStore()
    const clock = new ManualClock()
    const storage = await Storage.open(cellStore, { owner: 'exclusive', clock })
    const seconds = 20
    let through = 0
    const before = cellStore.others
    for (let commit = 0; commit < seconds * perSecond; commit += 1) {
      await clock.advance(1_000 / perSecond)
      const transaction = await storage.begin()
      transaction.put(rowKey(`row ${commit % 100}`), COLUMN, Buffer.from('x'))
      await transaction.commit()
      if (cellStore.use.isOn) through += 1
    }
    assert.ok(cellStore.others - before > seconds, `${cellStore.others} others`)
    // The first pay the debt that a process begins with, and that of its start.
    assert.ok(through >= seconds * perSecond - 550, `${through} through the redo log`)
    await storage.close()
  })
}
