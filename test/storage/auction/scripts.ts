// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import { Storage } from '../../../storage/storage.ts'
import { Auction } from './auction.ts'

/** Rows of before and of after CREATE OBSERVER: each is closed once at its time, and again when it changes. */
export async function lotsAreClosedAtTheirTimes(): Promise<void> {
  const auction = await Auction.open()
  await auction.put(1, -1_000)
  await auction.observe()
  await auction.put(2, null)
  await auction.put(3, 3_600_000)
  assert.equal(await auction.runNext(), 1)
  assert.equal(await auction.runNext(NOTHING_MS), undefined)
  await auction.put(1, undefined)
  assert.equal(await auction.runNext(), 1)
  await auction.put(3, -1_000)
  assert.equal(await auction.runNext(), 3)
  assert.equal(await auction.runNext(NOTHING_MS), undefined)
  await auction.requireSound()
  await auction.storage.close()
}

/** The row is moved while a worker holds its notification. */
export async function lotIsMovedWhenItWasHandedOut(): Promise<void> {
  const auction = await Auction.open()
  await auction.observe()
  await auction.put(1, -1_000)
  const notification = await auction.storage.observers.lease('close')
  await auction.put(1, 3_600_000)
  const transaction = await auction.storage.begin()
  assert.equal(await notification.acknowledge(transaction), 'alreadyObserved')
  transaction.rollback()
  await notification.committed()
  await auction.storage.close()
}

/** Garbage is collected while a row waits. */
export async function lotWaitsBesideACollection(): Promise<void> {
  const retention = { retentionMs: 0, heldMsMax: 0 }
  const storage = await Storage.open(new MemoryCellStore(), { owner: 'exclusive', retention })
  const auction = await Auction.open(storage)
  await auction.observe()
  await auction.put(1, 300)
  await auction.storage.collectGarbage()
  await auction.requireSound()
  assert.equal(await auction.runNext(), 1)
  await auction.storage.close()
}

const NOTHING_MS = 800
