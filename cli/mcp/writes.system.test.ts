// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { agentOf, bank, guarded } from '../../test/cli/agent.ts'
import type { AnswerBody } from '../../test/server/test-server.ts'

describe('an agent that writes', () => {
  test('shows a write, and does it when that is confirmed, once', async (t) => {
    const { server, url } = await bank(t)
    const agent = await agentOf(t, url)
    const balance = async () => (await server.rows("GET balance FROM account WHERE id = 'a1'"))[0]
    const sql = 'SET balance = balance + :n ON account WHERE id = :id RETURNING balance'
    const params = { n: 5, id: 'a1' }
    const { content, text } = await agent.call('write', { sql, params })
    assert.equal(content.written, false)
    assert.match(text, /writes: sets balance = balance \+ :n/)
    assert.match(text, new RegExp(content.confirmation))
    assert.deepEqual(await balance(), { balance: 10 })

    const { confirmation } = content
    // The order of names does not matter.
    const done = await agent.done('write', { sql, params: { id: 'a1', n: 5 }, confirmation })
    assert.deepEqual([done.written, done.rowsAffected], [true, 1])
    assert.deepEqual(done.results[0].rows, [{ balance: 15 }])
    assert.ok(done.commitTimestamp > 0)

    const twice = await agent.refused('write', { sql, params, confirmation })
    assert.deepEqual([twice.code, twice.reason], ['not_confirmed', 'unknown'])
    assert.deepEqual(await balance(), { balance: 15 })

    const script =
      "BEGIN; SET balance = 1 ON account WHERE id = 'a1'; INSERT INTO audit (id) VALUES (1); COMMIT"
    assert.equal((await agent.write(script)).rowsAffected, 2)
    await agent.write('CREATE TABLE made (id TEXT PRIMARY KEY)')
    assert.deepEqual(await server.rows('SCAN * FROM made'), [])
  })

  test('writes nothing by the confirmation of another text, or of other values', async (t) => {
    const { server, url } = await bank(t)
    const agent = await agentOf(t, url)
    const sql = 'DELETE FROM account WHERE id = :id'
    for (const other of [
      { sql: 'DELETE FROM account USE PRIMARY KEY', params: { id: 'a1' } },
      { sql: `${sql} `, params: { id: 'a1' } },
      { sql, params: { id: 'b1' } },
      { sql, params: ['a1'] },
      { sql },
    ]) {
      const { confirmation } = await agent.done('write', { sql, params: { id: 'a1' } })
      const error = await agent.refused('write', { ...other, confirmation })
      assert.deepEqual([error.code, error.reason], ['not_confirmed', 'otherText'])
      // It is used up.
      const again = await agent.refused('write', { sql, params: { id: 'a1' }, confirmation })
      assert.equal(again.reason, 'unknown')
    }
    const made = await agent.refused('write', { sql, params: { id: 'a1' }, confirmation: 'x' })
    assert.equal(made.reason, 'unknown')
    assert.equal((await server.rows('SCAN * FROM account')).length, 3)
    for (const reading of ['SCAN * FROM account', 'BEGIN', 'SHOW TABLES']) {
      assert.equal((await agent.refused('write', { sql: reading })).code, 'invalid_arguments')
    }
  })

  test('a confirmation expires', async (t) => {
    const { url } = await bank(t)
    const agent = await agentOf(t, url, { flags: ['--confirm-within', '300ms'] })
    const sql = "DELETE FROM account WHERE id = 'a1'"
    const { confirmation, confirmWithinMs } = await agent.done('write', { sql })
    assert.equal(confirmWithinMs, 300)
    await sleep(400)
    const { code, reason } = await agent.refused('write', { sql, confirmation })
    assert.deepEqual([code, reason], ['not_confirmed', 'expired'])
  })

  test('a role sees the rows of its rule only, in every tool, and writes what it may', async (t) => {
    const { url, token, run } = await guarded(
      t,
      "GRANT READ ON account TO agent WHERE owner = 'bob'",
      'GRANT READ ON audit TO agent',
    )
    const agent = await agentOf(t, url, { token })
    const { results, readTimestamp } = await agent.done('query', { sql: 'SCAN id FROM account' })
    assert.deepEqual(results[0].rows, [{ id: 'b1' }, { id: 'b2' }])
    const { bookmark } = await agent.done('changes', { tables: ['account', 'audit'], waitMs: 0 })

    await run("SET balance = 99 ON account WHERE id = 'a1'")
    await run("SET balance = 1 ON account WHERE id = 'b1'")
    await run("INSERT INTO audit (id, text) VALUES (1, 'seen')")
    const since = await agent.done('changes', { tables: ['account', 'audit'], bookmark })
    const changed = since.feeds.map(({ of, commits }: AnswerBody) => [
      of,
      commits.flatMap(({ changes }: AnswerBody) => changes.map(({ key }: AnswerBody) => key)),
    ])
    assert.deepEqual(changed, [
      ['account', [['b1']]],
      ['audit', [[1]]],
    ])
    const { counts, changes } = await agent.done('difference', {
      table: 'account',
      from: readTimestamp,
    })
    assert.deepEqual(counts, { insert: 0, update: 1, delete: 0 })
    assert.deepEqual(
      [changes[0].key, changes[0].before.balance, changes[0].after.balance],
      [['b1'], 5, 1],
    )

    const sql = "SET balance = 0 ON account WHERE id = 'b1'"
    const { code } = await agent.refused('write', { sql })
    assert.equal(code, 'not_permitted')
    await run('GRANT WRITE ON account TO agent')
    const { confirmation } = await agent.done('write', { sql })
    await run('REVOKE WRITE ON account FROM agent')
    assert.equal((await agent.refused('write', { sql, confirmation })).code, 'not_permitted')
  })
})
