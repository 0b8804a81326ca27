// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Schemas } from '../../client-sdk/client.ts'
import { checkFacts, storeFacts } from './store-facts.ts'

const STATUS: Schemas['Status'] = {
  ...{ version: '0.1.0', engine: 'sqlite', uptimeSeconds: 90, history: 'abcdef0123456789' },
  ...{ historyFrom: 1, timestamp: 9, safePoint: 0, oldestSnapshot: 9, feedLagMs: 0 },
  ...({ commit: 'one-phase', retentionMs: 86_400_000, garbageIntervalMs: 600_000 } as const),
  ...{ sockets: 1, subscriptions: 3, conflicts: 12, statementStatistics: true },
  ...{ openTransactions: 2, bufferedBytes: 2_048, indexBuilds: [], warnings: [] },
  clock: { offsetSeconds: 0, timestampsAheadSeconds: 0 },
}

describe('the facts of a store', () => {
  it('are those that there are, each with its unit', () => {
    const texts = Object.fromEntries(storeFacts(STATUS).map(({ name, text }) => [name, text]))
    assert.equal(texts['up for'], '1 min 30 s')
    assert.equal(texts['written, not committed'], '2.0 kB')
    assert.equal(texts.engine, 'sqlite, one-phase')
    assert.equal(texts.conflicts, '12')
    assert.ok(!('data' in texts) && !('clock is off by' in texts))
  })

  it('mark what an operator should see to', () => {
    const disk = { sizeBytes: 1e9, freeBytes: 1, storeBytes: 5, logBytes: 7, isFull: true }
    const clock = { offsetSeconds: -40, timestampsAheadSeconds: 0 }
    const bad = storeFacts({ ...STATUS, disk, clock }).filter(({ isBad }) => isBad === true)
    assert.deepEqual(
      bad.map(({ name, text }) => [name, text]),
      [
        ['clock is off by', '40 s'],
        ['free on the disk', '1 B of 1.0 GB'],
      ],
    )
  })

  it('say of a primary whether a standby has what it has', () => {
    const copy = {
      mode: 'preferred',
      connected: true,
      alone: false,
      copied: 7,
      groupsBehind: 0,
    } as const
    const shown = (other: object) =>
      storeFacts({ ...STATUS, secondCopy: { ...copy, ...other } })
        .filter(({ name }) => ['role', 'standby', 'second copy'].includes(name))
        .map(({ text, isBad = false }) => (isBad ? `${text}!` : text))
    assert.deepEqual(shown({}), ['primary', 'has all', 'preferred'])
    assert.deepEqual(shown({ groupsBehind: 1_200 }).at(1), '1,200 groups behind')
    const gone = { connected: false, alone: true }
    assert.deepEqual(shown(gone).slice(1), ['not connected!', 'preferred, writes go on without!'])
    // Nobody waits for one that may be there or not.
    assert.deepEqual(shown({ ...gone, mode: 'none', alone: false }).slice(1), [
      'not connected',
      'none',
    ])
  })

  it('say of a check whether the store is sound', () => {
    const report = {
      ...{ sound: false, rows: 3, cells: { data: 4, lock: 0 }, tables: [], problems: [] },
      ...{ droppedTables: { rows: 0, versions: 0 }, orphanedValues: 0, problemCount: 2 },
    }
    const [verdict, , data] = checkFacts(report)
    assert.deepEqual([verdict?.text, verdict?.isBad], ['2 problems', true])
    assert.deepEqual([data?.name, data?.text], ['cells, data', '4'])
  })
})
