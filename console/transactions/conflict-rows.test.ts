// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Schemas } from '../../client-sdk/client.ts'
import { cellText, placeText } from './cell-text.ts'
import { conflictRows, pairText } from './conflict-rows.ts'
import { isOwn, rollBackMeaning, writtenText } from './transaction-facts.ts'

type Conflict = Schemas['Conflict']

function conflict(parts: Partial<Conflict>): Conflict {
  return {
    ...{ at: 100, table: 'account', key: ['bob'], kind: 'row', met: 'write' },
    ...{ loser: 10, winner: 20, attempt: 1, retried: true },
    ...parts,
  } as Conflict
}

describe('the rows with conflicts', () => {
  it('are the hottest first, with a bar by their count and the newest pairs', () => {
    const recent = [
      ...Array.from({ length: 7 }, (_, at) => conflict({ loser: at })),
      conflict({ key: ['joe'] }),
      conflict({ key: ['old'], retried: false, at: 3 }),
      conflict({ key: ['old'], at: 2 }),
    ]
    const hot = [
      { table: 'account', key: ['bob'], conflicts: 40, overcount: 2, lost: 1, lastAt: 100 },
      { table: 'account', key: ['joe'], conflicts: 10, overcount: 0, lost: 0, lastAt: 90 },
    ]
    const rows = conflictRows({ hot, recent })
    assert.deepEqual(
      rows.map(({ place, conflicts, percent, lost, pairs }) => [
        ...[place, conflicts, percent, lost, pairs.length],
      ]),
      [
        ['account ["bob"]', 40, 100, 1, 5],
        ['account ["joe"]', 10, 25, 0, 1],
        ['account ["old"]', 2, 5, 1, 2],
      ],
    )
    assert.deepEqual([rows[0]?.pairs[0]?.loser, rows[2]?.lastAt], [0, 3])
    assert.deepEqual(conflictRows({ hot: [], recent: [] }), [])
  })

  it('say what the loser met', () => {
    assert.equal(pairText(conflict({})), 'met a newer version, run again')
    assert.equal(
      pairText(conflict({ met: 'lock', attempt: 3, retried: false })),
      'met a commit in progress in run 3, not run again',
    )
  })

  it('are named by what the server knows of them', () => {
    assert.equal(placeText(conflict({})), 'account ["bob"]')
    assert.equal(
      placeText({ table: 'account', index: 'byOwner', key: [7] }),
      'account index byOwner [7]',
    )
    assert.equal(placeText({}), 'a definition')
    const cell = { table: 'account', key: ['bob'], column: 'balance' } as Schemas['CellAddress']
    assert.equal(cellText(cell), 'account ["bob"] balance')
  })
})

describe('an open transaction', () => {
  const open = {
    ...{ transaction: '17.8f14', readOnly: false, busy: false, bytes: 310 },
    writes: [
      { table: 'account', rows: 2 },
      { table: 'trade', rows: 1 },
    ],
  } as unknown as Schemas['OpenTransaction']

  it('is told by what it has written, and by whose it is', () => {
    assert.equal(writtenText(open), 'account 2, trade 1; 310 B')
    assert.equal(writtenText({ ...open, writes: [] }), 'nothing')
    assert.equal(writtenText({ ...open, readOnly: true }), 'reads only')
    assert.deepEqual([open, { transaction: '17' }].map(isOwn), [true, false])
  })

  it('is rolled back with what that drops', () => {
    assert.equal(rollBackMeaning(open), 'What it has written is dropped: 3 rows.')
    assert.equal(
      rollBackMeaning({ ...open, writes: [], busy: true }),
      'It has written nothing. The statement that runs inside is stopped.',
    )
  })
})
