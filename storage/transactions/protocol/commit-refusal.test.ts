// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EmbeddedWorld } from '../../../test/storage/embedded-world.ts'
import { silentLog } from '../../storage-log.ts'
import { COMMIT_TURN_ROWS } from '../one-process/latch-in-turns.ts'

const MANY = Array.from({ length: COMMIT_TURN_ROWS + 1 }, (_, at) => `r${1_000 + at}`)

for (const [kind, rows] of [
  ['a commit', ['bob']],
  ['a commit of very many rows', MANY],
] as const) {
  test(`${kind} meets a bug of the engine: unknown, its latches stay, and the log says why`, async (t) => {
    const world = new EmbeddedWorld(7)
    const { mock } = t.mock.method(silentLog, 'error')
    world.store.applyAtomically = () => Promise.reject(new TypeError('a bug'))
    const puts = Object.fromEntries(rows.map((row) => [row, 'x']))
    await assert.rejects(world.commitAt(7, puts), { code: 'commit_outcome_unknown' })
    assert.equal(world.latches.size, rows.length)
    assert.deepEqual(
      mock.calls.map(({ arguments: [facts] }) => facts),
      [{ startTs: 7, error: 'TypeError: a bug' }],
    )
  })
}
