// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ManualClock } from '../../../../test/manual-clock.ts'
import { nextTurn } from '../../../turns/turns.ts'
import { SqliteFullDisk } from './full-disk.ts'
import type { MadeRoom } from './write-ahead-log.ts'

type Line = { readonly level: string; readonly facts: object; readonly message: string }

function given(made: MadeRoom | null | (() => Promise<MadeRoom>), isCopied = false) {
  const clock = new ManualClock()
  const lines: Line[] = []
  const failures: unknown[] = []
  const says = (level: string) => (facts: object, message: string) =>
    void lines.push({ level, facts, message })
  let attempts = 0
  const disk = new SqliteFullDisk({
    makeRoom: async () => {
      attempts += 1
      return typeof made === 'function' ? await made() : made
    },
    onFailure: (cause) => failures.push(cause),
    log: { info: says('info'), warn: says('warn'), error: says('error') },
    clock,
    isCopied: () => isCopied,
  })
  /** Many at once, as a group has them. */
  const refuse = async () => {
    for (let write = 0; write < 10; write++) disk.refusedWrite()
    await disk.settled()
  }
  return { disk, clock, lines, failures, refuse, attempts: () => attempts }
}

describe('a full disk', () => {
  test('one attempt is made for all writes that are refused meanwhile, and another one not at once', async () => {
    const { refuse, clock, attempts } = given({ outcome: 'restarted', bytes: 57_344 })
    await refuse()
    await refuse()
    await clock.advance(999)
    await refuse()
    assert.equal(attempts(), 1)
    await clock.advance(1)
    await refuse()
    assert.equal(attempts(), 2)
  })

  for (const outcome of ['isEmpty', 'noRoom', 'isRead', 'isBusy'] as const) {
    test(`what did not help (${outcome}) is tried again after five seconds, while writes are refused`, async () => {
      const { refuse, clock, attempts } = given({ outcome, bytes: 57_344 })
      await refuse()
      await clock.advance(4_999)
      await refuse()
      assert.equal(attempts(), 1)
      await clock.advance(1)
      assert.equal(attempts(), 1)
      await refuse()
      assert.equal(attempts(), 2)
    })
  }

  test('the operator is told once for each attempt: what is full, what was done and what to do', async () => {
    const said = async (made: MadeRoom) => {
      const { refuse, lines } = given(made)
      await refuse()
      const [line] = lines
      assert.ok(line !== undefined && lines.length === 1)
      assert.match(
        line.message,
        /^the disk of the data directory is full and a write was refused; /,
      )
      return line
    }
    const restarted = await said({ outcome: 'restarted', bytes: 57_344 })
    assert.deepEqual([restarted.level, restarted.facts], ['warn', { bytes: 57_344 }])
    assert.match(restarted.message, /restarted, and writes go on; give the disk more room/)
    const noRoom = await said({ outcome: 'noRoom', bytes: 57_344, missingBytes: 8192 })
    assert.deepEqual([noRoom.level, noRoom.facts], ['error', { bytes: 57_344, missingBytes: 8192 }])
    assert.match(noRoom.message, /no room for what is in the log.*at least missingBytes more/)
    const empty = await said({ outcome: 'isEmpty', bytes: 0 })
    assert.match(empty.message, /nothing that could be moved; writes go on when/)
    const read = await said({ outcome: 'isRead', bytes: 57_344 })
    assert.match(read.message, /while another process reads it/)
    assert.match((await said({ outcome: 'isBusy', bytes: 0 })).message, /is moving the log/)
  })

  test('while a backup reads the log, the operator is told to wait for its end', async () => {
    const { refuse, lines } = given({ outcome: 'isRead', bytes: 57_344 }, true)
    await refuse()
    assert.match(lines[0]?.message ?? '', /while a backup or a check reads it.*when that has ended/)
  })

  test('where a COMMIT is in doubt nothing is said to have been done', async () => {
    const { refuse, lines, failures } = given(null)
    await refuse()
    assert.deepEqual([lines, failures], [[], []])
  })

  test('a disk that fails meanwhile fails the store', async () => {
    const cause = new Error('disk I/O error')
    const { disk, failures } = given(() => Promise.reject(cause))
    disk.refusedWrite()
    await nextTurn()
    await disk.settled()
    assert.deepEqual(failures, [cause])
  })
})
