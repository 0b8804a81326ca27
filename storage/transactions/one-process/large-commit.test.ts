// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowKey } from '../../../test/storage/cell-notation.ts'
import { COLUMN, EmbeddedWorld, stateOf } from '../../../test/storage/embedded-world.ts'
import { CellStoreError } from '../../cells/cell-store.ts'
import { StorageError } from '../../errors.ts'
import { COMMIT_TURN_ROWS } from './latch-in-turns.ts'

const NAMES = Array.from({ length: 2 * COMMIT_TURN_ROWS + 1 }, (_, at) => `r${1_000 + at}`)
const LAST = NAMES.at(-1) as string
const ROWS = Object.fromEntries(NAMES.map((name) => [name, 'x']))

test('a commit of very many rows latches some each turn, and has one timestamp and one batch', async () => {
  const world = new EmbeddedWorld(7)
  const committed = world.commitAt(7, ROWS)
  assert.equal(world.latches.size, COMMIT_TURN_ROWS)
  assert.equal(world.latches.ownerOf('r1000')?.commitTs, undefined)
  // Whoever begins meanwhile is before it, and does not wait.
  const { timestamp } = await world.oracle.next()
  assert.equal(await world.read('r1000', timestamp), null)
  assert.equal(await stateOf(committed), 'waits')
  assert.equal(world.store.batches.length, 1)
  assert.equal(world.latches.ownerOf('r1000')?.commitTs, timestamp + 1)
  assert.equal(world.latches.ownerOf(LAST)?.commitTs, timestamp + 1)
  await world.store.apply()
  assert.deepEqual(await committed, { commitTs: timestamp + 1 })
  assert.equal(world.latches.size, 0)
})

test('its rows are not kept in memory, and what was kept of them is dropped', async () => {
  const world = new EmbeddedWorld(7)
  const isKept = (name: string, readTs: number) =>
    world.latches.newest.find(rowKey(name), COLUMN, readTs) !== undefined
  const first = world.commitAt(7, { r1000: 'first' })
  await world.store.apply()
  const { commitTs } = await first
  assert.equal(isKept('r1000', Number(commitTs)), true)
  const { timestamp } = await world.oracle.next()
  const second = world.commitAt(timestamp, ROWS)
  assert.equal(await stateOf(second), 'waits')
  await world.store.apply()
  const end = Number((await second).commitTs)
  assert.equal(world.latches.size, 0)
  assert.deepEqual(
    NAMES.filter((name) => isKept(name, end)),
    [],
  )
  assert.equal(await world.read('r1000', end), 'x')
})

test('it conflicts with a row that is written while it looks at others, and leaves no latch', async () => {
  const world = new EmbeddedWorld(7)
  const refused = assert.rejects(world.commitAt(7, ROWS), {
    code: 'write_conflict',
    fields: { row: rowKey(LAST), conflictingTimestamp: 8 },
  })
  void world.commitAt(7, { [LAST]: 'mine' })
  await refused
  assert.equal(world.latches.size, 1)
  assert.equal(world.store.batches.length, 1)
})

test('a small commit conflicts with the rows that it has latched so far', async () => {
  const world = new EmbeddedWorld(7)
  void world.commitAt(7, ROWS)
  await assert.rejects(world.commitAt(7, { r1000: 'mine' }), { code: 'write_conflict' })
})

test('it waits for the latch of an earlier commit holding nothing, and begins again', async () => {
  const world = new EmbeddedWorld(7)
  void world.commitAt(7, { [LAST]: 'first' })
  await world.oracle.next()
  const second = world.commitAt(9, ROWS)
  assert.equal(await stateOf(second), 'waits')
  assert.equal(world.latches.size, 1)
  await world.store.apply()
  await world.store.apply()
  assert.deepEqual(await second, { commitTs: 10 })
})

test('it meets a fence that was raised while it latched, and leaves no latch', async () => {
  const world = new EmbeddedWorld(7)
  const refused = assert.rejects(world.commitAt(7, ROWS), { code: 'snapshot_too_old' })
  world.oracle.safePoint = 8
  await refused
  assert.equal(world.latches.size + world.store.batches.length, 0)
})

test('a mark that cannot be raised: rolled back, and no latch is left', async () => {
  const world = new EmbeddedWorld(7)
  world.oracle.mark = 7
  const raised = Promise.withResolvers<void>()
  world.oracle.raising = raised.promise
  const refused = assert.rejects(world.commitAt(7, ROWS), { code: 'transaction_rolled_back' })
  assert.equal(await stateOf(refused), 'waits')
  raised.reject(new CellStoreError('notApplied', 'scripted'))
  await refused
  assert.equal(world.latches.size, 0)
})

test('an oracle that is closed meanwhile gives no timestamp: refused, and no latch is left', async () => {
  const world = new EmbeddedWorld(7)
  const refused = assert.rejects(world.commitAt(7, ROWS), { code: 'closed' })
  world.oracle.take = () => {
    throw new StorageError('closed', 'scripted')
  }
  await refused
  assert.equal(world.latches.size + world.store.batches.length, 0)
})
