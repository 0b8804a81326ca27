// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { type TestContext, test } from 'node:test'
import { MemoryCellStore } from '../../storage/cells/memory/memory-cell-store.ts'
import { openGateway, systemRandomness } from '../../storage/storage.ts'
import { newTokenText } from '../../storage/tables/access/access.ts'
import { ManualClock } from '../manual-clock.ts'
import { TokenServer } from '../server/token-server.ts'

const HOUR_MS = 3_600_000

/** Counts what is hashed and compared from now on. */
function counter(t: TestContext) {
  const hashes = t.mock.method(crypto, 'hash').mock
  const comparisons = t.mock.method(crypto, 'timingSafeEqual').mock
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.reset()
    syncBuiltinESMExports()
  })
  return {
    /** The work since the last time. */
    take() {
      const counted = { hashes: hashes.callCount(), comparisons: comparisons.callCount() }
      hashes.resetCalls()
      comparisons.resetCalls()
      return counted
    },
  }
}

test('a token of an unknown id, of a known one and the right one cost the same hashes and comparisons', async (t) => {
  const guarded = await TokenServer.start(t)
  const former = await guarded.made('CREATE TOKEN web ROLE admin EXPIRES IN 9 DAYS')
  const now = await guarded.made('ROTATE TOKEN web KEEP 2 HOURS')
  const rotatedAway = await guarded.made('CREATE TOKEN old ROLE admin EXPIRES IN 9 DAYS')
  await guarded.made('ROTATE TOKEN old')
  const short = await guarded.made('CREATE TOKEN short ROLE admin EXPIRES IN 1 MINUTE')
  const wrongOf = (token: string) => newTokenText(systemRandomness, token.split('_')[1]).text
  const cases: ReadonlyArray<readonly [string, string, number]> = [
    ['of an unknown id', newTokenText(systemRandomness).text, 401],
    ['of a known id, wrong', wrongOf(guarded.token), 401],
    ['of an id that is being rotated, wrong', wrongOf(now), 401],
    ['rotated away', rotatedAway, 401],
    ['expired', short, 401],
    ['right', guarded.token, 200],
    ['right, while the one from before counts', now, 200],
    ['from before', former, 200],
  ]
  await guarded.clock.advance(HOUR_MS)
  const work = counter(t)
  for (const round of ['first', 'second']) {
    if (round === 'second') await guarded.clock.advance(60_000)
    for (const [name, token, expected] of cases) {
      work.take()
      const headers = { authorization: `Bearer ${token}` }
      const { status } = await guarded.server.send({ path: '/v1/tables', headers })
      assert.equal(status, expected, name)
      assert.deepEqual(work.take(), { hashes: 1, comparisons: 2 }, `${name}, ${round} time`)
    }
  }
})

test('over a shared store, which is asked again for either, they cost the same too', async (t) => {
  const clock = new ManualClock()
  const storage = await openGateway(new MemoryCellStore(), { clock })
  const guarded = await TokenServer.start(t, { clock, deps: { storage } })
  const wrong = newTokenText(systemRandomness, guarded.token.split('_')[1]).text
  const work = counter(t)
  for (const token of [newTokenText(systemRandomness).text, wrong]) {
    await clock.advance(1_000)
    work.take()
    const headers = { authorization: `Bearer ${token}` }
    assert.equal((await guarded.server.send({ path: '/v1/tables', headers })).status, 401)
    assert.deepEqual(work.take(), { hashes: 2, comparisons: 4 })
  }
})

test('a text that is no token is neither hashed nor compared', async (t) => {
  const guarded = await TokenServer.start(t)
  const work = counter(t)
  const headers = { authorization: `Bearer ${guarded.token}x` }
  assert.equal((await guarded.server.send({ path: '/v1/tables', headers })).status, 401)
  assert.deepEqual(work.take(), { hashes: 0, comparisons: 0 })
})
