// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { COLUMN, EmbeddedWorld, stateOf } from '../../../test/storage/embedded-world.ts'
import { lineOf, RecordedFeed, readFeed } from '../../../test/storage/recorded-feed.ts'
import { keyString } from '../../cells/row-key.ts'
import { nextTurn } from '../../turns/turns.ts'
import { COMMIT_TURN_ROWS } from '../one-process/latch-in-turns.ts'

/** The key of a row of a table, as far as the feed can tell. */
const key = (name: string) => Buffer.from(`\u0001${name}`)

function commit(world: EmbeddedWorld, startTs: number, ...names: string[]) {
  const transaction = world.beginAt(startTs)
  for (const name of names) transaction.put(key(name), COLUMN, Buffer.from('v'))
  return transaction.commit()
}

async function follow(world: EmbeddedWorld, position: number): Promise<RecordedFeed> {
  const recorded = new RecordedFeed(world.feed, position)
  await nextTurn()
  await nextTurn()
  return recorded
}

describe('a commit in the feed', () => {
  test('is told in the turn in which it is settled, before its client is answered', async () => {
    const world = new EmbeddedWorld(7)
    const recorded = await follow(world, 7)
    assert.ok(recorded.follower.isLive)
    let heard: string[] = []
    const answered = commit(world, 7, 'bob', 'joe').then(() => {
      heard = recorded.lines
    })
    await world.store.show()
    assert.equal(await stateOf(answered), 'waits')
    assert.deepEqual(recorded.lines, []) // In the view, but nobody knows whether it is on disk.
    await world.store.apply()
    await answered
    assert.deepEqual(heard, ['8: bob joe'])
    assert.equal(recorded.follower.position, 8)
  })

  test('its entry is in the very batch of its rows', async () => {
    const world = new EmbeddedWorld(7)
    void commit(world, 7, 'bob')
    assert.equal(world.store.batches.length, 1)
    const rows = world.store.batches[0]?.map(({ row }) => keyString(row))
    assert.deepEqual(rows, ['\u0001bob'])
    assert.equal(world.store.notes[0]?.timestamp, 8)
  })

  test('that changes no logged row costs no cell, and is not told', async () => {
    const world = new EmbeddedWorld(7)
    world.store.isHeld = false
    const recorded = await follow(world, 7)
    await world.commitAt(7, { bob: 'x' })
    assert.equal(world.store.batches[0]?.length, 1)
    assert.deepEqual(world.store.notes, [undefined])
    assert.deepEqual(recorded.lines, [])
    assert.equal(await world.feed.resolved(), 9)
    assert.deepEqual(await readFeed(world.feed, 7), [])
  })

  test('that was not applied is not told, and holds nobody back', async () => {
    const world = new EmbeddedWorld(7)
    const recorded = await follow(world, 7)
    const refused = assert.rejects(commit(world, 7, 'bob'), { code: 'transaction_rolled_back' })
    const second = commit(world, 8, 'joe')
    await world.store.refuse('notApplied')
    await refused
    await world.store.apply()
    await second
    assert.deepEqual(recorded.lines, ['9: joe'])
  })

  test('of which nobody knows holds back everything after it', async () => {
    const world = new EmbeddedWorld(7)
    const recorded = await follow(world, 7)
    const unknown = assert.rejects(commit(world, 7, 'bob'), { code: 'commit_outcome_unknown' })
    const second = commit(world, 8, 'joe')
    await world.store.refuse('ambiguous')
    await unknown
    await world.store.apply()
    await second
    assert.deepEqual(recorded.lines, [])
    assert.equal(await world.feed.resolved(), 7)
  })
})

describe('the order of the feed', () => {
  test('a large commit is told whole, before all of its latches are gone', async () => {
    const world = new EmbeddedWorld(7)
    world.store.isHeld = false
    const recorded = await follow(world, 7)
    const names = Array.from({ length: 3 * COMMIT_TURN_ROWS }, (_, at) => `r${1_000 + at}`)
    const { commitTs } = await commit(world, 7, ...names)
    assert.deepEqual(recorded.lines, [`${commitTs}: ${names.join(' ')}`])
    assert.deepEqual((await readFeed(world.feed, 7)).map(lineOf), recorded.lines)
  })
})

describe('a follower', () => {
  test('reads the log and then goes live, without a gap and without hearing anything twice', async () => {
    const world = new EmbeddedWorld(7)
    world.store.isHeld = false
    for (let startTs = 7; startTs < 2_507; startTs += 1) await commit(world, startTs, `r${startTs}`)
    const recorded = new RecordedFeed(world.feed, 7)
    let startTs = 2_507
    while (!recorded.follower.isLive) {
      await commit(world, startTs, `r${startTs}`)
      startTs += 1
    }
    for (let more = 0; more < 10; more += 1, startTs += 1) {
      await commit(world, startTs, `r${startTs}`)
    }
    const wanted = Array.from({ length: startTs - 7 }, (_, at) => `${at + 8}: r${at + 7}`)
    assert.deepEqual(recorded.lines, wanted)
    assert.equal(recorded.error, undefined)
  })

  test('that began with a snapshot is not told what the snapshot has seen', async () => {
    const world = new EmbeddedWorld(7)
    const before = commit(world, 7, 'bob')
    const { timestamp: snapshot } = await world.oracle.next()
    const recorded = await follow(world, snapshot) // The commit at 8 is still pending.
    assert.ok(recorded.follower.isLive)
    const after = commit(world, snapshot, 'joe')
    await world.store.apply()
    await world.store.apply()
    await Promise.all([before, after])
    assert.deepEqual(recorded.lines, ['10: joe'])
  })

  test('that throws is told no more and hears why; the others and the committer notice nothing', async () => {
    const world = new EmbeddedWorld(7)
    world.store.isHeld = false
    const failure = new Error('no room')
    let told = 0
    const failed = Promise.withResolvers<unknown>()
    const follower = world.feed.follow(7, {
      commit: () => {
        told += 1
        throw failure
      },
      failed: failed.resolve,
    })
    const other = await follow(world, 7)
    await commit(world, 7, 'bob')
    await commit(world, 8, 'joe')
    assert.equal(await failed.promise, failure)
    assert.equal(told, 1)
    assert.ok(!follower.isLive)
    assert.deepEqual(other.lines, ['8: bob', '9: joe'])
  })

  test('that stops itself in the middle of what it is told hears no more', async () => {
    const world = new EmbeddedWorld(7)
    world.store.isHeld = false
    await commit(world, 7, 'bob')
    await commit(world, 8, 'joe')
    const heard: number[] = []
    const follower = world.feed.follow(7, {
      commit: ({ commitTs }) => {
        heard.push(commitTs)
        follower.stop()
      },
      failed: (error) => assert.fail(String(error)),
    })
    await nextTurn()
    await nextTurn()
    await commit(world, 9, 'sue')
    assert.deepEqual(heard, [8])
  })

  test('from a position that collection has passed is refused, and so is one in the future', async () => {
    const world = new EmbeddedWorld(7)
    world.oracle.safePoint = 5
    const old = await follow(world, 4)
    assert.deepEqual((old.error as { code: string; fields: object }).code, 'resume_too_old')
    assert.deepEqual((old.error as { fields: object }).fields, { since: 4, oldest: 5 })
    const future = await follow(world, 8)
    assert.equal((future.error as { code: string }).code, 'timestamp_in_future')
    const oldest = await follow(world, 5)
    assert.ok(oldest.follower.isLive)
  })

  test('that is live moves on when nothing happens', async () => {
    const world = new EmbeddedWorld(7)
    const recorded = await follow(world, 7)
    const resolved = await world.feed.resolved()
    assert.ok(resolved > 7)
    assert.equal(recorded.follower.position, resolved)
  })
})

describe('a page', () => {
  test('ends with the commit that reaches the rows asked for, and never within one', async () => {
    const world = new EmbeddedWorld(7)
    world.store.isHeld = false
    await commit(world, 7, 'a', 'b', 'c')
    await commit(world, 8, 'd')
    await commit(world, 9, 'e', 'f')
    const lines = async (position: number, rowsMax: number) => {
      const page = await world.feed.read(position, { rowsMax })
      return { ...page, commits: page.commits.map(lineOf) }
    }
    const first = { commits: ['8: a b c'], position: 8, isCaughtUp: false }
    assert.deepEqual(await lines(7, 1), first)
    assert.deepEqual(await lines(7, 3), first)
    assert.deepEqual(await lines(7, 4), {
      commits: ['8: a b c', '9: d'],
      position: 9,
      isCaughtUp: false,
    })
    assert.deepEqual(await lines(9, 4), { commits: ['10: e f'], position: 10, isCaughtUp: true })
    assert.deepEqual(await lines(10, 4), { commits: [], position: 10, isCaughtUp: true })
  })

  test('ends below a commit that is not settled, even if the log shows it', async () => {
    const world = new EmbeddedWorld(7)
    const pending = commit(world, 7, 'bob')
    await world.store.show()
    await world.oracle.next()
    const page = await world.feed.read(7, { rowsMax: 10 })
    assert.deepEqual(page, { commits: [], position: 7, isCaughtUp: true })
    await world.store.apply()
    await pending
    assert.deepEqual((await readFeed(world.feed, 7)).map(lineOf), ['8: bob'])
  })

  test('rejects with the reason of its signal', async () => {
    const world = new EmbeddedWorld(7)
    const signal = AbortSignal.abort(new Error('enough'))
    await assert.rejects(world.feed.read(7, { rowsMax: 1, signal }), { message: 'enough' })
  })
})
