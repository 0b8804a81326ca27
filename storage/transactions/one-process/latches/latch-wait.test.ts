// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CellStoreError } from '../../../cells/cell-store.ts'
import { nextTurn } from '../../../turns/turns.ts'
import { LatchTable } from './latch-table.ts'
import { untilReleased } from './latch-wait.ts'
import { hashedRow } from './latched-rows.ts'

const ROWS = [{ ...hashedRow('a'), kind: 'write' }] as const
const CANCELLED = new Error('cancelled')
const CLOSED = new CellStoreError('closed', 'The store is being closed.')

test('a statement goes on when the latch is released, or with the reason for which it is ended', async () => {
  const latches = new LatchTable()
  const owner = latches.latch(1, ROWS)
  const [patient, hasty] = [new AbortController(), new AbortController()]
  const waiting = untilReleased(latches, owner, patient.signal)
  const ended = assert.rejects(untilReleased(latches, owner, hasty.signal), CANCELLED)
  hasty.abort(CANCELLED)
  await ended
  latches.release(owner, ROWS)
  await waiting
})

test('a statement that has ended leaves nothing behind for the close of the store', async (t) => {
  const unseen: unknown[] = []
  const onUnseen = (reason: unknown) => unseen.push(reason)
  process.on('unhandledRejection', onUnseen)
  t.after(() => process.off('unhandledRejection', onUnseen))
  const latches = new LatchTable()
  const owner = latches.latch(1, ROWS)
  const ended = AbortSignal.abort(CANCELLED)
  await assert.rejects(untilReleased(latches, owner, ended), CANCELLED)
  latches.endWaiting(CLOSED)
  await assert.rejects(untilReleased(latches, owner, ended), CANCELLED)
  await assert.rejects(untilReleased(latches, owner, undefined), CLOSED)
  await nextTurn()
  assert.deepEqual(unseen, [])
})
