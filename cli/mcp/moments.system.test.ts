// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { agentOf, bank } from '../../test/cli/agent.ts'
import type { AnswerBody } from '../../test/server/test-server.ts'

describe('an agent that follows what changes', () => {
  test('tells changes since a bookmark, whole commits within its bounds, and waits for the first', async (t) => {
    const { server, url } = await bank(t)
    const agent = await agentOf(t, url)
    const start = await agent.done('changes', { tables: ['account'], waitMs: 0 })
    assert.deepEqual(start.feeds[0].commits, [])
    for (const n of [1, 2, 3]) await server.query(`SET balance = ${n} ON account WHERE id = 'a1'`)
    await server.query("SET balance = 0 ON account WHERE id >= 'b'")
    const balances = ({ feeds }: AnswerBody) =>
      feeds[0].commits.map(({ changes }: AnswerBody) =>
        changes.map(({ row }: AnswerBody) => row.balance),
      )
    const given = { tables: ['account'], changes: 2 }
    const first = await agent.done('changes', { ...given, bookmark: start.bookmark })
    assert.deepEqual([balances(first), first.cut !== undefined], [[[1], [2]], true])
    const second = await agent.done('changes', { ...given, bookmark: first.bookmark })
    // A commit is whole, or not there.
    assert.deepEqual(balances(second), [[3]])
    const one = await agent.done('changes', { ...given, changes: 1, bookmark: second.bookmark })
    assert.match(one.feeds[0].commits[0].changesLeftOut, /call difference from \d+ to \d+/)
    const rest = await agent.done('changes', { ...given, bookmark: one.bookmark, waitMs: 0 })
    assert.deepEqual([balances(rest), rest.cut], [[], undefined])

    const waiting = agent.done('changes', { sql: 'SCAN id FROM account', waitMs: 30_000 })
    await sleep(500)
    await server.query("INSERT INTO account (id) VALUES ('new')")
    assert.deepEqual((await waiting).feeds[0].commits[0].changes[0].row, { id: 'new' })

    for (const [wrong, code] of [
      [{}, 'invalid_arguments'],
      [{ tables: ['account'], bookmark: 'x' }, 'invalid_arguments'],
      [{ tables: ['nothing'] }, 'unknown_table'],
      [{ tables: ['account'], since: 1 }, 'history_replaced'],
      [{ sql: 'SCAN * FROM account LIMIT 1' }, 'not_subscribable'],
    ] as const) {
      assert.equal((await agent.refused('changes', wrong)).code, code)
    }
  })

  test('compares two moments, by a key or by whole rows, and refuses what is too many rows', async (t) => {
    const { server, url } = await bank(t)
    const agent = await agentOf(t, url)
    const { readTimestamp: from } = (await server.query('SHOW TABLES')).body
    await server.query("DELETE FROM account WHERE id = 'b2'")
    await server.query("INSERT INTO account (id, owner) VALUES ('c1', 'cid')")
    await server.query("SET balance = 11 ON account WHERE id = 'a1'")
    const { readTimestamp: to } = (await server.query('SHOW TABLES')).body
    await server.query("SET balance = 12 ON account WHERE id = 'a1'")
    const whole = await agent.done('difference', { table: 'account', from, to })
    assert.deepEqual(whole.counts, { insert: 1, update: 1, delete: 1 })
    assert.deepEqual([whole.from, whole.to], [from, to])
    const cut = await agent.done('difference', { table: 'account', from, to, rows: 1 })
    assert.match(cut.cut, /^2 more rows differ/)
    const sql = 'SCAN owner, balance FROM account WHERE id < :end'
    const params = { end: 'c' }
    const rows = await agent.done('difference', { sql, params, from, to })
    assert.deepEqual(rows.counts, { insert: 1, update: 0, delete: 2 })
    const { code } = await agent.refused('difference', { sql, params, from, to, key: ['id'] })
    assert.equal(code, 'invalid_arguments')

    const many = (first: number) => Array.from({ length: 5_001 }, (_, n) => ({ id: first + n }))
    for (const first of [0, 5_001]) await server.post('/v1/tables/audit/rows', many(first))
    const error = await agent.refused('difference', { table: 'audit', from })
    assert.equal(error.code, 'difference_too_large')
  })
})
