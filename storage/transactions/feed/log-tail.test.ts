// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { withoutSeen } from '../../../test/cell-store/without-seen.ts'
import { stateOf } from '../../../test/storage/embedded-world.ts'
import type { Fault } from '../../../test/storage/faulty-cell-store.ts'
import { COLUMN, type Gateway, ProtocolWorld } from '../../../test/storage/protocol-world.ts'
import { RecordedFeed } from '../../../test/storage/recorded-feed.ts'
import type { RowMutations } from '../../cells/cell-store.ts'
import type { RowFilter } from '../../cells/row-filter.ts'
import { nextTurn } from '../../turns/turns.ts'
import { setWrite } from '../records/percolator-columns.ts'
import { isSharedLogRow, NOTED_BEFORE_MAX, sharedLogRow } from './shared-log-row.ts'

for (const knows of [true, false]) {
  const engine = knows ? 'an engine that knows what has changed' : 'an engine that does not'
  describe(`the end of the log, over ${engine}`, () => {
    test('a writer that stands still before it locks the row of the log is told, late as it is', async () => {
      const { world, recorded, isTold } = await followed(knows)
      const go = holdLogRow(world.a, 'before')
      const slow = commit(world.a, await next(world), 'slow')
      await stateOf(slow)
      world.oracle.leap(NOTED_BEFORE_MAX - 1_000)
      const { commitTs } = await commit(world.a, await next(world), 'quick')
      await isTold([`${commitTs}: quick`])
      go()
      const { commitTs: later } = await slow
      await isTold([`${commitTs}: quick`, `${later}: slow`])
      await world.b.feed.stop()
      assert.equal(recorded.error, undefined)
    })

    test('a writer that stands still between its locks and its commit holds back later commits, and loses its place to none', async () => {
      const { world, recorded, isTold } = await followed(knows)
      const go = holdLogRow(world.a, 'after')
      const slow = commit(world.a, await next(world), 'slow')
      await stateOf(slow)
      for (let turn = 0; turn < 20; turn += 1) await nextTurn()
      const { commitTs } = await commit(world.a, await next(world), 'quick')
      for (let turn = 0; turn < 200; turn += 1) await nextTurn()
      assert.deepEqual(recorded.lines, [])
      go()
      const { commitTs: later } = await slow
      await isTold([`${commitTs}: quick`, `${later}: slow`])
      await world.b.feed.stop()
    })

    test('a writer that was rolled back, or whose process has died, is passed', async () => {
      const { world, recorded, isTold } = await followed(knows)
      const { calls } = world.a.store
      world.a.store.fault = (call) => (call > calls + 2 ? 'crashBefore' : 'none')
      void commit(world.a, await next(world), 'lost')
      await stateOf(new Promise(() => {}))
      const startTs = await next(world)
      const { commitTs } = await commit(world.b, await next(world), 'bob')
      await assert.rejects(commit(world.b, startTs, 'bob'), { code: 'write_conflict' })
      for (let turn = 0; turn < 100; turn += 1) await nextTurn()
      assert.deepEqual(recorded.lines, [])
      world.b.liveness.dead.add(world.a.liveness.incarnation)
      await isTold([`${commitTs}: bob`])
      await world.b.feed.stop()
    })

    test('reads each row of the log when it is locked and when it is committed', async () => {
      const { world, read, isTold } = await followed(knows)
      const lines: string[] = []
      for (let at = 0; at < 50; at += 1) {
        const { commitTs } = await commit(world.a, await next(world), `row-${at}`)
        lines.push(`${commitTs}: row-${at}`)
        await isTold(lines)
      }
      for (let turn = 0; turn < 500; turn += 1) await nextTurn()
      // An engine that does not know is asked once more, to be sure that nothing is missing.
      const most = knows ? 2 : 3
      for (const [name, times] of read) assert.ok(times <= most, `${name} was read ${times} times`)
      assert.equal(read.size, 50)
      await world.b.feed.stop()
    })

    test('who follows is told of everything when more waits than is kept', async () => {
      const { world, recorded, isTold } = await followed(knows)
      const go = holdLogRow(world.a, 'after')
      const slow = commit(world.a, await next(world), 'slow')
      await stateOf(slow)
      const lines = await addCommits(world, 10_100)
      for (let turn = 0; turn < 100; turn += 1) await nextTurn()
      assert.deepEqual([recorded.lines, recorded.follower.isLive], [[], false])
      go()
      const { commitTs } = await slow
      await isTold([...lines, `${commitTs}: slow`])
      await world.b.feed.stop()
    })
  })
}

/** Gateway b follows; what it reads of the log is counted by row. */
async function followed(knows: boolean) {
  const world = new ProtocolWorld(100 * NOTED_BEFORE_MAX)
  const read = new Map<string, number>()
  const { store } = world.b
  const scanRanges = store.scanRanges.bind(store)
  store.scanRanges = async function* (ranges, filter: RowFilter, mark) {
    const isMarked = knows && mark !== undefined
    const rows = isMarked
      ? withoutSeen(scanRanges, ranges, filter, mark)
      : scanRanges(ranges, filter)
    for await (const row of rows) {
      const name = Buffer.from(row.key).toString()
      read.set(name, (read.get(name) ?? 0) + 1)
      yield row
    }
  }
  const recorded = new RecordedFeed(world.b.feed, await next(world))
  while (!recorded.follower.isLive) await nextTurn()
  const isTold = async (lines: readonly string[]) => {
    while (recorded.lines.length < lines.length && recorded.error === undefined) await nextTurn()
    assert.deepEqual(recorded.lines, lines)
  }
  return { world, recorded, read, isTold }
}

async function next(world: ProtocolWorld): Promise<number> {
  return (await world.oracle.next()).timestamp
}

async function commit(gateway: Gateway, startTs: number, name: string) {
  const transaction = gateway.beginAt(startTs)
  transaction.put(Buffer.from(`\u0001${name}`), COLUMN, Buffer.from('v'))
  return await transaction.commit()
}

/** Commits as their log rows say, written at once. */
async function addCommits(world: ProtocolWorld, count: number): Promise<string[]> {
  const lines: string[] = []
  const entries: RowMutations[] = []
  for (let at = 0; at < count; at += 1) {
    const [startTs, commitTs] = [await next(world), await next(world)]
    const row = { key: Buffer.from(`\u0001row-${at}`), columns: ['0'], isDelete: false }
    const { key, writes } = sharedLogRow({ notedAt: startTs, startTs }, [row])
    const mutations = [...writes].map(([column, write]) => {
      const content = {
        kind: 'inline',
        value: write.kind === 'put' ? write.value : NOTHING,
      } as const
      return setWrite(column, commitTs, { startTs, content })
    })
    entries.push({ row: key, mutations })
    lines.push(`${commitTs}: row-${at}`)
  }
  await world.cellStore.mutateRows(entries)
  return lines
}

const NOTHING = new Uint8Array()

/** The next log row of the gateway waits before it is locked, or when it has been. */
function holdLogRow(gateway: Gateway, when: 'before' | 'after'): () => void {
  const held = Promise.withResolvers<void>()
  const { store } = gateway
  const inner = store.checkAndMutateRow.bind(store)
  let isHolding = false
  store.fault = async (_call, row): Promise<Fault> => {
    if (when === 'before' && isSharedLogRow(row) && !isHolding) {
      isHolding = true
      await held.promise
    }
    return 'none'
  }
  store.checkAndMutateRow = async (row, step) => {
    const isHeld = when === 'after' && isSharedLogRow(row) && !isHolding
    if (isHeld) isHolding = true
    const matched = await inner(row, step)
    if (isHeld) await held.promise
    return matched
  }
  return () => held.resolve()
}
