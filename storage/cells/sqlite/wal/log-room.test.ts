// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { testFolder } from '../../../../test/test-folder.ts'
import { FileDisk, SqliteLogRoom } from './log-room.ts'

const LOG_BYTES_MAX = 1_000_000

function given(space: { free: number; log: number }) {
  let looks = 0
  const room = new SqliteLogRoom(LOG_BYTES_MAX, {
    space: () => {
      looks += 1
      return { ...space, store: 0 }
    },
    cutLog: () => assert.fail('nothing is cut here'),
  })
  return { room, space, looks: () => looks }
}

describe('how long the log may become', () => {
  test('on a disk that has room for it, for its pages in the file and for as much again: as long as usual', () => {
    const { room } = given({ free: 2_000_000, log: 1_000_000 })
    assert.equal(room.shareFor(10), 1)
  })

  test('with less room its share of that, whether the log has it already or the disk still', () => {
    for (const log of [0, 100_000, 300_000]) {
      const { room } = given({ free: 300_000 - log, log })
      assert.equal(room.shareFor(10), 0.1)
    }
  })

  test('on a full disk a few pages', () => {
    const { room } = given({ free: 0, log: 0 })
    assert.equal(room.shareFor(10), 1 / 1024)
  })

  test('the disk is not looked at for each group, but each four MiB and when the log was restarted', () => {
    const { room, looks } = given({ free: 3_000_000, log: 0 })
    for (let kib = 0; kib < 4096; kib += 64) room.shareFor(kib * 1024)
    assert.equal(looks(), 1)
    for (let kib = 4096; kib <= 3 * 4096; kib += 64) room.shareFor(kib * 1024)
    assert.equal(looks(), 4)
    room.shareFor(3 * 2 ** 22 - 1)
    assert.equal(looks(), 5)
    room.shareFor(-1)
    assert.equal(looks(), 5)
    room.lookAgain()
    room.shareFor(3 * 2 ** 22 - 1)
    assert.equal(looks(), 6)
  })

  test('with little room it is looked at as much sooner', () => {
    const { room, space, looks } = given({ free: 300_000, log: 0 })
    assert.equal(room.shareFor(0), 0.1)
    space.free = 150_000
    assert.equal(room.shareFor(2 ** 22 / 10 - 1), 0.1)
    assert.equal(room.shareFor(2 ** 22 / 10), 0.05)
    assert.equal(looks(), 2)
  })
})

test('the files of a store and what is left beside them; what is behind the end of the log is cut off', async (t) => {
  const path = join(await testFolder(t, 'room'), 'cells.db')
  const disk = new FileDisk(path)
  assert.deepEqual([disk.space().log, disk.space().store], [0, 0])
  await writeFile(path, 'file')
  await writeFile(`${path}-wal`, 'log behind')
  const { free, log, store } = disk.space()
  assert.ok(free > 0)
  assert.deepEqual([log, store], [10, 4])
  disk.cutLog(3)
  disk.cutLog(7)
  assert.equal(await readFile(`${path}-wal`, 'utf8'), 'log')
  assert.equal(new FileDisk(join(path, 'no folder', 'cells.db')).space().free, Infinity)
})
