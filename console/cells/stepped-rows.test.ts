// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RowCells } from './cell-history.ts'
import { CELLS_MAX, killable, type Step, steppedRows, stepWords } from './stepped-rows.ts'

const ROW: RowCells = {
  ...{ table: 'account', key: ['bob'], lock: [], rollback: [], guard: [], notify: [] },
  data: [{ column: '0', timestamp: 5, inline: true, row: { id: 'bob', balance: 10 } }],
  write: [{ column: '0', timestamp: 6, kind: 'put', startTimestamp: 5 }],
}
const OTHER: RowCells = { ...ROW, key: ['joe'] }

function step(name: string, more: Pick<Step, 'set' | 'erased'> & Partial<Step>): Step {
  return { ...{ kind: 'step', at: '', key: ['bob'], transaction: 7, step: name }, ...more }
}

const VALUE = {
  family: 'data',
  column: '0',
  timestamp: 7,
  inline: true,
  row: { balance: 3 },
} as const
const LOCK = { family: 'lock', column: '0', timestamp: 7 } as const
const PREWRITE = step('prewrite', { set: [VALUE, { ...LOCK, kind: 'put' }], erased: [] })
const WRITE = {
  family: 'write',
  column: '0',
  timestamp: 8,
  kind: 'put',
  startTimestamp: 7,
} as const

const stamps = (row: RowCells | undefined) =>
  [row?.data, row?.lock, row?.write, row?.rollback].map((cells) =>
    cells?.map(({ timestamp }) => timestamp),
  )

describe('rows after a step', () => {
  it('keep their newest cells, however many come', () => {
    let rows: readonly RowCells[] = [ROW]
    for (let timestamp = 10; timestamp < 10 + 3 * CELLS_MAX; timestamp += 1) {
      const set = [
        { ...VALUE, timestamp },
        { ...VALUE, column: '1', timestamp },
      ]
      rows = steppedRows(rows, step('onePhase', { set, erased: [] }))
    }
    const data = rows[0]?.data ?? []
    assert.equal(data.length, 2 * CELLS_MAX)
    const newest = 9 + 3 * CELLS_MAX
    assert.deepEqual(
      [data[0], data[CELLS_MAX - 1], data[CELLS_MAX]].map((cell) => [
        cell?.column,
        cell?.timestamp,
      ]),
      [
        ['0', newest],
        ['0', newest - CELLS_MAX + 1],
        ['1', newest],
      ],
    )
  })

  it('are found by keys that no number holds', () => {
    const keys = [9007199254740993n, 9007199254740992n]
    const rows = keys.map((key) => ({ ...ROW, key: [key] }) as unknown as RowCells)
    const [first, second] = steppedRows(rows, { ...PREWRITE, key: [keys[0]] })
    assert.deepEqual([first?.lock.length, second?.lock.length], [1, 0])
  })

  it('have what was set, newest first, and other rows are as they were', () => {
    const [bob, joe] = steppedRows([ROW, OTHER], PREWRITE)
    assert.deepEqual(stamps(bob), [[7, 5], [7], [6], []])
    assert.equal(joe, OTHER)
    assert.deepEqual(bob?.data[0], { column: '0', timestamp: 7, inline: true, row: { balance: 3 } })
  })

  it('have the record in place of the lock after a commit', () => {
    const locked = steppedRows([ROW], PREWRITE)
    const [bob] = steppedRows(locked, step('commit', { set: [VALUE, WRITE], erased: [LOCK] }))
    assert.deepEqual(stamps(bob), [[7, 5], [], [8, 6], []])
  })

  it('have no value any more that was in the lock of a transaction that was rolled back', () => {
    const locked = steppedRows([ROW], PREWRITE)
    const mark = { family: 'rollback', column: '0', timestamp: 7 } as const
    const [bob] = steppedRows(locked, step('rollBack', { set: [mark], erased: [LOCK] }))
    assert.deepEqual(stamps(bob), [[5], [], [6], [7]])
  })

  it('have lost what was collected: from a stamp, and below another one', () => {
    const erased = [
      { family: 'write', column: '0', until: 7 },
      { family: 'data', column: '0', from: 5, until: 6 },
    ] as const
    const [bob] = steppedRows([ROW], step('collect', { set: [], erased }))
    assert.deepEqual(stamps(bob), [[], [], [], []])
  })
})

describe('a step', () => {
  it('is told in a line', () => {
    assert.equal(stepWords(PREWRITE, String), 'T7 locks bob (sets data and lock)')
    const forward = step('rollForward', { set: [WRITE], erased: [LOCK] })
    assert.equal(
      stepWords(forward, String),
      'T7 has committed, so another transaction rolls it forward at bob (sets write, erases lock)',
    )
  })

  it('leaves an owner to be killed until the secondaries are committed', () => {
    const steps = ['prewrite', 'commit', 'commitSecondary', 'rollForward', 'onePhase']
    assert.deepEqual(
      steps.map((name) => killable(step(name, { set: [], erased: [] }))),
      [7, 7, undefined, undefined, undefined],
    )
  })
})
