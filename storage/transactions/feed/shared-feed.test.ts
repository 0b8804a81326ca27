// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { stateOf } from '../../../test/storage/embedded-world.ts'
import type { Fault } from '../../../test/storage/faulty-cell-store.ts'
import { COLUMN, type Gateway, ProtocolWorld } from '../../../test/storage/protocol-world.ts'
import { lineOf, RecordedFeed, readFeed } from '../../../test/storage/recorded-feed.ts'
import { CellStoreError } from '../../cells/cell-store.ts'
import { nextTurn } from '../../turns/turns.ts'
import { isSharedLogRow, NOTED_BEFORE_MAX } from './shared-log-row.ts'

function commit(gateway: Gateway, startTs: number, ...names: string[]) {
  const transaction = gateway.beginAt(startTs)
  for (const name of names) {
    transaction.put(Buffer.from(`\u0001${name}`), COLUMN, Buffer.from('v'))
  }
  return transaction.commit()
}

async function linesOf(gateway: Gateway, position: number): Promise<string[]> {
  return (await readFeed(gateway.feed, position)).map(lineOf)
}

function notAnswered(): AsyncIterable<never> {
  throw new CellStoreError('deadline', 'scripted')
}

/** Bob, Joe and the log's row are locked in this order; then bob, the primary, is committed. */
const PRIMARY_COMMIT = 4

describe('the feed of a shared store', () => {
  test('tells a commit whose process died before it had committed the row of the log', async () => {
    const world = new ProtocolWorld(7)
    world.a.faultAt(PRIMARY_COMMIT, 'crashAfter')
    void commit(world.a, 7, 'bob', 'joe')
    await stateOf(new Promise(() => {}))
    world.b.liveness.dead.add(world.a.liveness.incarnation)
    assert.deepEqual(await linesOf(world.b, 7), ['8: bob joe'])
    assert.deepEqual(await linesOf(world.b, 9), [])
  })

  test('does not tell a transaction whose process died before it decided, and does not wait for it', async () => {
    const world = new ProtocolWorld(7)
    world.a.faultAt(PRIMARY_COMMIT, 'crashBefore')
    void commit(world.a, 7, 'bob', 'joe')
    await stateOf(new Promise(() => {}))
    world.b.liveness.dead.add(world.a.liveness.incarnation)
    const { timestamp } = await world.oracle.next()
    await commit(world.b, timestamp, 'sue')
    assert.deepEqual(await linesOf(world.b, 7), ['10: sue'])
  })

  test('leaves the position of a follower that is stopped where its last commit left it', async () => {
    const world = new ProtocolWorld(7)
    await commit(world.a, 7, 'bob', 'joe')
    const { follower, lines } = new RecordedFeed(world.b.feed, 7)
    follower.stop()
    await world.b.feed.stop()
    assert.deepEqual(lines, [])
    assert.equal(follower.position, 7)
  })

  test('waits for a transaction that took its timestamp and has not committed', async () => {
    const world = new ProtocolWorld(7)
    const held = Promise.withResolvers<Fault>()
    const first = world.a.store.calls
    world.a.store.fault = (call) => (call === first + PRIMARY_COMMIT ? held.promise : 'none')
    const committed = commit(world.a, 7, 'bob', 'joe')
    await stateOf(committed)
    const read = linesOf(world.b, 7)
    assert.equal(await stateOf(read), 'waits')
    held.resolve('none')
    assert.deepEqual(await committed, { commitTs: 8 })
    assert.deepEqual(await read, ['8: bob joe'])
  })

  test('finds the commit of a transaction that had been open for very long', async () => {
    const world = new ProtocolWorld(7)
    world.oracle.leap(100 * NOTED_BEFORE_MAX)
    const { timestamp: position } = await world.oracle.next()
    const { commitTs } = await commit(world.a, 7, 'bob')
    assert.deepEqual(await linesOf(world.b, position), [`${commitTs}: bob`])
  })

  test('a commit that takes its timestamp too long after it was noted is rolled back', async () => {
    const world = new ProtocolWorld(7)
    world.a.store.fault = async (_call, row): Promise<Fault> => {
      if (isSharedLogRow(row)) world.oracle.leap(NOTED_BEFORE_MAX)
      return 'none'
    }
    await assert.rejects(commit(world.a, 7, 'bob'), { code: 'transaction_rolled_back' })
    await world.a.context.background.drain()
    assert.deepEqual(await world.cells(), ['\u0001bob rollback@7'])
    assert.deepEqual(await linesOf(world.b, 7), [])
  })

  test('tells whoever follows of the commits of every gateway, by the answer to `resolved`', async () => {
    const world = new ProtocolWorld(7)
    const recorded = new RecordedFeed(world.a.feed, 7)
    while (!recorded.follower.isLive) await nextTurn()
    const lines: string[] = []
    for (const gateway of [world.b, world.a, world.b]) {
      const { timestamp } = await world.oracle.next()
      const { commitTs } = await commit(gateway, timestamp, 'bob')
      lines.push(`${commitTs}: bob`)
      const resolved = await world.a.feed.resolved()
      assert.ok(recorded.follower.position >= resolved)
      assert.deepEqual(recorded.lines, lines)
    }
    await world.a.feed.stop()
  })

  test('whoever follows looks soon after a commit, and ever more seldom while there is none', async () => {
    const world = new ProtocolWorld(7)
    const { clock } = world.a.context
    const pauses: number[] = []
    const sleep = clock.sleep.bind(clock)
    clock.sleep = (ms, signal) => {
      pauses.push(ms)
      return sleep(ms, signal)
    }
    const recorded = new RecordedFeed(world.a.feed, 7)
    while (pauses.at(-1) !== 2_000) await nextTurn()
    assert.equal(pauses[0], 50)
    assert.deepEqual(
      pauses,
      pauses.toSorted((a, b) => a - b),
    )
    const before = pauses.length
    await commit(world.b, 7, 'bob')
    while (recorded.lines.length === 0) await nextTurn()
    const soon = pauses.indexOf(50, before)
    while (pauses.length < soon + 3) await nextTurn()
    assert.deepEqual(pauses.slice(soon, soon + 3), [50, 50, 50])
    await world.a.feed.stop()
  })

  test('whoever follows is not given up for a store that does not answer', async () => {
    const world = new ProtocolWorld(7)
    const recorded = new RecordedFeed(world.a.feed, 7)
    while (!recorded.follower.isLive) await nextTurn()
    const scanRanges = world.a.store.scanRanges.bind(world.a.store)
    let failures = 3
    world.a.store.scanRanges = (...scan) => {
      failures -= 1
      return failures >= 0 ? notAnswered() : scanRanges(...scan)
    }
    const { commitTs } = await commit(world.b, 7, 'bob')
    while (recorded.lines.length === 0 && recorded.error === undefined) await nextTurn()
    assert.deepEqual(recorded.lines, [`${commitTs}: bob`])
    assert.equal(failures < 0, true)
    await world.a.feed.stop()
  })

  test('`resolved` does not wait for a follower that cannot read, which is live no more', async () => {
    const world = new ProtocolWorld(7)
    const recorded = new RecordedFeed(world.a.feed, 7)
    while (!recorded.follower.isLive) await nextTurn()
    const scanRanges = world.a.store.scanRanges.bind(world.a.store)
    // Only who follows reads with a mark.
    world.a.store.scanRanges = (ranges, filter, mark) =>
      mark === undefined ? scanRanges(ranges, filter) : notAnswered()
    const { commitTs } = await commit(world.b, 7, 'bob')
    const resolved = await world.a.feed.resolved()
    assert.ok(commitTs !== null && resolved > commitTs)
    assert.deepEqual([recorded.follower.isLive, recorded.lines], [false, []])
    world.a.store.scanRanges = scanRanges
    while (!recorded.follower.isLive) await nextTurn()
    assert.deepEqual(recorded.lines, [`${commitTs}: bob`])
    await world.a.feed.stop()
  })
})
