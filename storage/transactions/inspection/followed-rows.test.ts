// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Cell } from '../../cells/cell.ts'
import type { ProtocolStep } from '../../cells/cell-store.ts'
import type { Mutation, SetCell } from '../../cells/mutation.ts'
import { eraseLock, setLock, setWrite } from '../records/percolator-columns.ts'
import { FollowedRows } from './followed-rows.ts'
import type { WatchedMutation } from './step-watch.ts'

const [BOB, JOE] = [Uint8Array.of(1), Uint8Array.of(2)]
const CONTENT = { kind: 'inline', value: Uint8Array.of(7) } as const
const LOCK = {
  startTs: 7,
  primary: { row: BOB, column: '0' },
  incarnation: 'ab'.repeat(16),
  wallMicros: 1,
  content: CONTENT,
} as const

const locked = setLock('0', LOCK)
const written = setWrite('0', 8, { startTs: 7, content: CONTENT })
const unlocked = eraseLock('0', 7)

type Sent = { readonly mutation: WatchedMutation; readonly all: readonly Mutation[] }

function sent(step: ProtocolStep, row: Uint8Array, ...all: readonly Mutation[]): Sent {
  return { mutation: { step, row, mutations: [] }, all }
}

function followedRows() {
  const told: string[] = []
  let missed = 0
  const rows = new FollowedRows(
    [BOB, JOE],
    ({ step, at }) => told.push(`${step} ${at}`),
    (count) => {
      missed += count
    },
  )
  const call = ({ mutation, all }: Sent) => rows.called(mutation, all)
  const settle = ({ mutation, all }: Sent) => {
    mutation.mutations = all
    rows.settled(mutation)
  }
  return { rows, told, call, settle, missed: () => missed }
}

function cellOf({ kind: _, ...cell }: SetCell): Cell {
  return cell
}

describe('of the mutations that are in progress while the first cells are read', () => {
  const prewrite = () => sent('prewrite', BOB, locked)
  const commit = () => sent('commit', BOB, written, unlocked)
  const cases = [
    { name: 'none is told that the cells show', image: [written], told: [] },
    { name: 'those after the last one that they show are', image: [locked], told: ['commit 0'] },
    {
      name: 'all are where the cells show none',
      image: [],
      told: ['prewrite 0', 'commit 0'],
    },
  ]
  for (const { name, image, told: wanted } of cases) {
    for (const order of ['before the cells are there', 'after that'] as const) {
      test(`${name}: settled ${order}`, async () => {
        const { rows, told, call, settle } = followedRows()
        const both = [prewrite(), commit()]
        for (const one of both) call(one)
        rows.asked()
        if (order === 'before the cells are there') both.forEach(settle)
        rows.answered()
        const deciding = rows.decide([image.map(cellOf), []])
        if (order === 'after that') both.forEach(settle)
        await deciding
        rows.release()
        assert.deepEqual(told, wanted)
      })
    }
  }

  test('what was settled before is in them, and what is sent after them is told, in order', async () => {
    const { rows, told, call, settle } = followedRows()
    const [early, late] = [sent('collect', JOE, unlocked), prewrite()]
    call(early)
    settle(early)
    rows.asked()
    rows.answered()
    call(late)
    await rows.decide([[cellOf(locked)], []])
    settle(late)
    const last = sent('rollBack', JOE, unlocked)
    call(last)
    settle(last)
    assert.deepEqual(told, [], 'they wait for the cells')
    rows.release()
    assert.deepEqual(told, ['prewrite 0', 'rollBack 1'])
  })
})

test('a refused mutation is no step, and nothing is told after the end', async () => {
  const { rows, told, call, settle } = followedRows()
  rows.asked()
  rows.answered()
  await rows.decide([[], []])
  rows.release()
  const refused = sent('prewrite', BOB)
  call(refused)
  settle(refused)
  const late = sent('prewrite', BOB, locked)
  call(late)
  rows.stop()
  settle(late)
  assert.deepEqual(told, [])
})

test('long values of later transactions are left to their steps', async () => {
  const { rows, call } = followedRows()
  rows.asked()
  rows.answered()
  await rows.decide([[], []])
  const data = {
    kind: 'setCell',
    family: 'data',
    qualifier: '0',
    timestamp: 9,
    value: Uint8Array.of(1),
  } as const
  call(sent('prewrite', BOB, data))
  const cellAt = (timestamp: number) => ({
    ...({ family: 'data', qualifier: '0', value: data.value, timestamp } as const),
    meaning: { kind: 'data' } as const,
  })
  const cells = [cellAt(9), cellAt(5)]
  assert.deepEqual(rows.withoutLater({ at: 0, cells }).cells, [cellAt(5)])
  assert.deepEqual(rows.withoutLater({ at: 1, cells }).cells, cells)
})

test('a thousand steps wait for the first cells, and more are counted', async () => {
  const { rows, told, call, settle, missed } = followedRows()
  rows.asked()
  rows.answered()
  await rows.decide([[], []])
  for (let count = 0; count < 1_007; count += 1) {
    const one = sent('heartbeat', BOB, locked)
    call(one)
    settle(one)
  }
  rows.release()
  assert.deepEqual([told.length, missed()], [1_000, 7])
})
