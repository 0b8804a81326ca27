// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { StorageError } from '../../../storage/storage.ts'
import { ManualClock } from '../../../test/manual-clock.ts'
import { StatementFailure } from '../../errors/server-error.ts'
import { Attempts } from './attempt.ts'

const conflict = new StorageError('write_conflict', 'It was written.')

function surroundings(fraction = 0.5, lostRows: ReadonlyArray<{ readonly hash: number }> = []) {
  const clock = new ManualClock()
  const failures: unknown[] = []
  const parts = {
    clock,
    randomness: { fraction: () => fraction },
    storage: {
      begin: () => ({ startTs: 1, rollback: () => {}, lostRows }),
      catalog: () => ({}),
    },
    shares: { writtenBy: () => undefined },
    access: { viewOf: (_principal: unknown, catalog: unknown) => catalog },
    conflicts: { ranAgain: () => {}, failedAttempt: () => {} },
    ended: { failed: (error: unknown) => failures.push(error), count: () => {} },
  }
  return { clock, attempts: new Attempts(parts as never), failures }
}

/** Attempts of a request that never has to wait for a turn. */
const retrying = async <T>(
  { attempts }: ReturnType<typeof surroundings>,
  work: (attempt: number) => Promise<T>,
) =>
  attempts.run({
    snapshot: { readOnly: false },
    running: { signal: new AbortController().signal, turns: { rejoin: async () => {} } } as never,
    work: (attempt) => work(attempt.attempts),
    commitTsOf: () => null,
  })

test('work that meets two conflicts succeeds at the third attempt', async () => {
  const options = surroundings()
  const running = retrying(options, async (attempt) => {
    if (attempt < 3) throw new StatementFailure(0, conflict)
    return attempt
  })
  await options.clock.advance(1_000)
  assert.equal(await running, 3)
})

test('after eight attempts the conflict is the answer', async () => {
  const options = surroundings(0)
  let attempts = 0
  const running = retrying(options, async () => {
    attempts += 1
    throw conflict
  })
  const refused = assert.rejects(running, conflict)
  await options.clock.advance(10_000)
  await refused
  assert.equal(attempts, 8)
  assert.deepEqual(options.failures, [conflict], 'counted once')
})

test('no attempt begins later than two seconds after the first', async () => {
  const options = surroundings(1)
  const begunAtMs: number[] = []
  const running = retrying(options, async () => {
    begunAtMs.push(options.clock.monotonicMs())
    await options.clock.sleep(900)
    throw conflict
  })
  const refused = assert.rejects(running, conflict)
  await options.clock.advance(20_000)
  await refused
  assert.ok(begunAtMs.length >= 2)
  assert.ok(begunAtMs.every((ms) => ms <= 2_000))
})

test('an error that is not retryable is not retried, an unknown outcome least of all', async () => {
  for (const code of ['commit_outcome_unknown', 'unknown_table'] as const) {
    let attempts = 0
    const running = retrying(surroundings(), async () => {
      attempts += 1
      throw new StorageError(code, 'No.')
    })
    await assert.rejects(running, { code })
    assert.equal(attempts, 1)
  }
})

test('who lost the same row runs again after the one before has ended, and not at random', async () => {
  const options = surroundings(1, [{ hash: 7 }])
  const ended = Promise.withResolvers<void>()
  const ran: string[] = []
  const request = (name: string, work: () => Promise<void>) =>
    retrying(options, async (attempt) => {
      ran.push(`${name} ${attempt}`)
      if (attempt < 3) throw conflict
      await work()
    })
  const first = request('first', () => ended.promise)
  const second = request('second', async () => {})
  await options.clock.advance(0)
  assert.deepEqual(ran, ['first 1', 'second 1', 'first 2', 'first 3'])
  ended.resolve()
  await Promise.all([first, second])
  assert.deepEqual(ran.slice(4), ['second 2', 'second 3'])
  assert.equal(options.clock.monotonicMs(), 0)
})

test('who waits in line for two seconds is answered with the conflict then', async () => {
  const options = surroundings(0, [{ hash: 7 }])
  const refusedAtMs: number[] = []
  let again = 0
  const all = Array.from({ length: 50 }, () =>
    retrying(options, async (attempt) => {
      if (attempt === 1) throw conflict
      again += 1
      await options.clock.sleep(5_000)
    }).catch(() => refusedAtMs.push(options.clock.monotonicMs())),
  )
  await options.clock.advance(10_000)
  await Promise.all(all)
  // Each is first for 50 ms.
  assert.equal(again, 40)
  assert.deepEqual(refusedAtMs, Array(10).fill(2_000))
})
