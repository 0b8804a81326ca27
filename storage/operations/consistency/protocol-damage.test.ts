// SPDX-License-Identifier: Apache-2.0
import { testDamages } from '../../../test/storage/damaged-world.ts'
import type { Cell } from '../../cells/cell.ts'
import { systemRowKey } from '../../cells/row-key.ts'
import {
  decodeWriteRecord,
  encodeStartTs,
  encodeWriteRecord,
} from '../../transactions/records/write-record.ts'

/** What breaks the rules of records and locks, and of notifications. */
testDamages([
  {
    name: 'a write record that is cut short',
    rules: ['I5'],
    damage: async (world) => {
      const cell = await world.newest(world.key('bob'), 'write')
      await world.set(world.key('bob'), { ...cell, value: cell.value.subarray(0, 8) })
    },
  },
  {
    name: 'a write record of a kind that does not exist',
    rules: ['I5'],
    damage: async (world) => {
      const cell = await world.newest(world.key('bob'), 'write')
      const value = Uint8Array.from(cell.value)
      value[8] = 0x51
      await world.set(world.key('bob'), { ...cell, value })
    },
  },
  {
    name: 'a lost value, among the newest ones and the oldest',
    rules: ['I5'],
    damage: async (world) => {
      const cells = await world.cells(world.key('ann'), 'data')
      await world.erase(world.key('ann'), cells[0] as Cell)
      await world.erase(world.key('ann'), cells.at(-1) as Cell)
    },
  },
  {
    name: 'a value that is cut short',
    rules: ['I5'],
    damage: (world) => world.shorten(world.key('ann'), 'data'),
  },
  {
    name: 'a lost write record of a long value, the oldest one',
    rules: ['I5', 'J9'],
    damage: async (world) => {
      const cells = await world.cells(world.key('ann'), 'write')
      await world.erase(world.key('ann'), cells.at(-1) as Cell)
    },
  },
  {
    name: 'a commit that is not after its start',
    rules: ['I4'],
    damage: async (world) => {
      const row = world.key('eve')
      const cell = await world.newest(row, 'write')
      const { content } = decodeWriteRecord(cell.value)
      await world.set(row, {
        ...cell,
        value: encodeWriteRecord({ startTs: cell.timestamp, content }),
      })
    },
  },
  {
    name: 'a version whose writer began before the version under it was committed',
    rules: ['I4'],
    damage: async (world) => {
      const row = world.key('bob')
      const [newest, older] = await world.cells(row, 'write')
      const { content } = decodeWriteRecord(newest?.value ?? new Uint8Array())
      const startTs = (older as Cell).timestamp - 1
      await world.set(row, { ...(newest as Cell), value: encodeWriteRecord({ startTs, content }) })
    },
  },
  {
    name: 'a guard that overlaps a version',
    rules: ['I4'],
    damage: async (world) => {
      const row = world.key('bob')
      const [version] = await world.cells(row, 'write')
      const guard = await world.newest(row, 'guard')
      await world.set(row, { ...guard, value: encodeStartTs((version as Cell).timestamp - 1) })
    },
  },
  {
    name: 'a guard stamp that is cut short',
    rules: ['I5'],
    damage: (world) => world.shorten(world.key('bob'), 'guard'),
  },
  {
    name: 'a notify cell of an observer that never was',
    rules: ['O2'],
    damage: (world) => world.notify(world.key('bob'), { qualifier: '99' }),
  },
  {
    name: "a notify cell that is no observer's",
    rules: ['O2'],
    damage: (world) => world.notify(world.key('bob'), { qualifier: 'reader' }),
  },
  {
    name: "a notify cell in a row that is no table's",
    rules: ['O2'],
    damage: (world) => world.notify(systemRowKey('catalog/version'), {}),
  },
  {
    name: 'a notify cell that is cut short',
    rules: ['O2'],
    damage: (world) => world.notify(world.key('bob'), { value: new Uint8Array(7) }),
  },
  {
    name: 'a notify cell that tells of what came after it',
    rules: ['O2'],
    damage: (world) => world.notify(world.key('bob'), { value: encodeStartTs(2 ** 52) }),
  },
  {
    name: 'an acknowledgment of what a run has not seen',
    rules: ['O3'],
    damage: (world) => world.acknowledge(world.key('bob'), (startTs) => encodeStartTs(startTs + 1)),
  },
  {
    name: 'an acknowledgment that is no timestamp',
    rules: ['O3'],
    damage: (world) => world.acknowledge(world.key('bob'), () => new Uint8Array(7)),
  },
  {
    name: 'a transaction that is committed and rolled back',
    rules: ['I3'],
    damage: async (world) => {
      const row = world.key('bob')
      const { value } = await world.newest(row, 'write')
      const { startTs } = decodeWriteRecord(value)
      await world.set(row, { family: 'rollback', timestamp: startTs, value: new Uint8Array(16) })
    },
  },
  {
    name: 'a lock beside the write record of its transaction',
    rules: ['I3'],
    damage: async (world) => {
      const row = world.key('eve')
      const { startTs } = decodeWriteRecord((await world.newest(row, 'write')).value)
      await world.lock(row, row, { startTs })
    },
  },
  {
    name: 'a lock beside the rollback record of its transaction',
    rules: ['I3'],
    damage: async (world) => {
      const row = world.key('new')
      const timestamp = await world.lock(row, row)
      await world.set(row, { family: 'rollback', timestamp, value: new Uint8Array(16) })
    },
  },
  {
    name: 'a lock whose transaction began before the newest version',
    rules: ['I4'],
    damage: async (world) => {
      const row = world.key('bob')
      const { startTs } = decodeWriteRecord((await world.newest(row, 'write')).value)
      await world.lock(row, row, { startTs: startTs - 1 })
    },
  },
  {
    name: 'two locks on one column',
    rules: ['I4'],
    damage: async (world) => {
      const row = world.key('new')
      const startTs = await world.lock(row, row)
      await world.lock(row, row, { startTs: startTs - 1 })
    },
  },
  {
    name: 'a lock whose primary names another',
    rules: ['I6'],
    damage: async (world) => {
      await world.lock(world.key('bob'), world.key('new'))
      await world.lock(world.key('new'), world.key('eve'))
      await world.lock(world.key('eve'), world.key('eve'))
    },
  },
  {
    name: 'a lock that is cut short',
    rules: ['I6'],
    damage: async (world) => {
      const row = world.key('new')
      const timestamp = await world.lock(row, row)
      const cell = await world.newest(row, 'lock')
      await world.set(row, { ...cell, timestamp, value: cell.value.subarray(0, 20) })
    },
  },
  {
    name: 'a primary lock that is a guard',
    rules: ['I7'],
    damage: (world) =>
      world.lock(world.key('new'), world.key('new'), { content: { kind: 'guard' } }),
  },
  {
    name: 'two locks of one transaction and row with different primaries',
    rules: ['I1'],
    damage: async (world) => {
      const row = world.key('bob')
      const timestamp = await world.lock(row, row)
      await world.lock(world.key('eve'), world.key('eve'))
      const { value } = await world.newest(world.key('eve'), 'lock')
      await world.set(row, { family: 'lock', qualifier: '1', timestamp, value })
    },
  },
])
