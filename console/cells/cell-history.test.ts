// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { historyOf, type RowCells } from './cell-history.ts'
import { sentencesAt } from './sentences.ts'
import { layoutOf, markAfter } from './timeline-layout.ts'

const NOTHING = { lock: [], write: [], rollback: [], guard: [], notify: [] }

function row(key: string, more: Partial<RowCells>): RowCells {
  return { table: 'account', key: [key], data: [], ...NOTHING, ...more }
}

const put = (start: number, commit: number) => ({
  ...{ column: '0', timestamp: commit, kind: 'put', startTimestamp: start },
})
const balance = (timestamp: number, id: string, amount: number) => ({
  ...{ column: '0', timestamp, inline: true, row: { id, balance: amount } },
})

/** Figure 4 of the paper: Bob has 10, T7 moves 7 to Joe, and its primary is committed at 8. */
const BOB = row('bob', {
  data: [balance(1_007, 'bob', 3), balance(1_005, 'bob', 10)],
  write: [put(1_007, 1_008), put(1_005, 1_006)],
})
const JOE = row('joe', {
  data: [balance(1_007, 'joe', 9), balance(1_005, 'joe', 2)],
  lock: [
    {
      ...{ column: '0', timestamp: 1_007, kind: 'put', isPrimary: false, owner: 'p1' },
      ...{ primary: { table: 'account', key: ['bob'], column: '0' } },
      lockedAt: '2026-11-27T17:00:00.000Z',
    },
  ],
  write: [put(1_005, 1_006)],
})

describe('the cells of two rows', () => {
  const history = historyOf([BOB, JOE], 'two-phase')

  it('are lanes by row, with the stamps of both', () => {
    assert.deepEqual(
      history.strands.map(({ title, families }) => [title, families.join(' ')]),
      [
        ['account bob', 'data lock write'],
        ['account joe', 'data lock write'],
      ],
    )
    assert.deepEqual(history.stamps, [1_005, 1_006, 1_007, 1_008])
    assert.equal(history.label(1_007), '…007')
  })

  it('say in each box what is new in it', () => {
    const lines = history.marks
      .filter(({ look }) => look !== 'supposed')
      .map(({ id, lines: own }) => `${id}: ${own.join('; ')}`)
    assert.deepEqual(lines, [
      ...['0 data 1007: balance 3', '0 data 1005: balance 10'],
      ...['0 write 1008: put; of T…007', '0 write 1006: put; of T…005'],
      ...['1 data 1007: balance 9', '1 data 1005: balance 2'],
      ...['1 lock 1007: put; → account bob', '1 write 1006: put; of T…005'],
    ])
  })

  it('are told as the transaction went', () => {
    assert.deepEqual(sentencesAt(history, 1_007), [
      'T…007 locks bob, and keeps it locked until …008.',
      'T…007 locks joe (put → account bob), and holds it still.',
    ])
    assert.deepEqual(sentencesAt(history, 1_008), [
      'Commit at …008: the write record of T…007 appears on bob (it points at the value), and the lock goes.',
    ])
  })

  it('have locks that must have stood there, where commits are in two phases alone', () => {
    const supposed = (commit: 'one-phase' | 'two-phase') =>
      historyOf([BOB], commit)
        .marks.filter(({ look }) => look === 'supposed')
        .map(({ from, until }) => [from, until])
    assert.deepEqual(supposed('two-phase'), [
      [1_007, 1_008],
      [1_005, 1_006],
    ])
    assert.deepEqual(supposed('one-phase'), [])
  })

  it('have values that came with their record, where commits are in one phase', () => {
    const onePhase = historyOf([BOB], 'one-phase')
    const value = onePhase.marks.find(({ id }) => id === '0 data 1007')
    assert.equal(value?.from, 1_008)
    assert.deepEqual(sentencesAt(onePhase, 1_007), [])
    assert.match(sentencesAt(onePhase, 1_008)[0] ?? '', /together with the value, without a lock/)
  })

  it('have lanes of their own for rollbacks, guards and notifications', () => {
    const cell = { column: '0', timestamp: 1_009 }
    const other = historyOf(
      [row('eve', { rollback: [cell], notify: [{ ...cell, column: '5' }] })],
      'two-phase',
    )
    assert.deepEqual(other.strands[0]?.families, ['data', 'lock', 'write', 'rollback', 'notify'])
    assert.deepEqual(sentencesAt(other, 1_009), [
      'T…009 is rolled back at eve: the mark stays, and refuses it if it comes late.',
      '…009: observers are notified of eve.',
    ])
  })

  it('tell of a row with several columns once', () => {
    const extra = { ...put(1_005, 1_006), column: '1' }
    const both = historyOf([row('kim', { write: [put(1_005, 1_006), extra] })], 'one-phase')
    assert.equal(both.strands.length, 2)
    assert.equal(sentencesAt(both, 1_006).length, 1)
  })
})

describe('the drawing of cells', () => {
  const history = historyOf([BOB, JOE], 'two-phase')
  const timeline = layoutOf(history, 20)

  it('has stamps at even distances, whatever lies between them', () => {
    const xs = timeline.stamps.map(({ x }) => x)
    const distances = xs.slice(1).map((x, at) => x - (xs[at] as number))
    assert.deepEqual(new Set(distances).size, 1)
  })

  it('has no box on another one', () => {
    const { boxes } = timeline
    for (const one of boxes) {
      for (const other of boxes) {
        if (one === other) continue
        const isApart =
          one.x + one.width <= other.x ||
          other.x + other.width <= one.x ||
          one.y + one.height <= other.y ||
          other.y + other.height <= one.y
        assert.ok(isApart, `${one.mark.id} lies on ${other.mark.id}`)
      }
    }
  })

  it('has a curve from each record to its value', () => {
    assert.deepEqual(
      timeline.curves.map(({ id }) => id),
      ['0 write 1008', '0 write 1006', '1 write 1006'],
    )
  })

  it('has the newest stamps, and the number of the others', () => {
    const newest = layoutOf(history, 1)
    assert.equal(newest.older, 3)
    assert.deepEqual(
      newest.boxes.map(({ mark, x }) => [mark.family, mark.look, x >= 0]),
      [
        ['lock', 'supposed', true],
        ['write', 'cell', true],
      ],
    )
  })

  it('is walked by the arrows: along a lane, and to the nearest box of the next one', () => {
    const walk = (from: string, ...keys: string[]) =>
      keys.reduce<string | undefined>((at, key) => markAfter(key, timeline, at ?? ''), from)
    assert.equal(walk('0 data 1005', 'ArrowRight'), '0 data 1007')
    assert.equal(walk('0 data 1007', 'ArrowRight'), undefined)
    assert.equal(walk('0 data 1007', 'Home'), '0 data 1005')
    assert.equal(walk('0 data 1007', 'ArrowDown', 'ArrowDown'), '0 write 1008')
    assert.equal(walk('0 write 1008', 'ArrowDown'), '1 data 1007')
    assert.equal(walk('0 data 1007', 'ArrowUp'), undefined)
    assert.equal(walk('0 data 1007', 'x'), undefined)
  })
})
