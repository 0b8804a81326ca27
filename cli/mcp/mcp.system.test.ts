// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { agentOf, bank, guarded } from '../../test/cli/agent.ts'
import type { AnswerBody } from '../../test/server/test-server.ts'

const GONE = 'http://127.0.0.1:9'

describe('percolite mcp', () => {
  for (const mode of ['legacy', 'auto'] as const) {
    test(`tells its tools, and which of them write, to a client of the protocol ${mode}`, async (t) => {
      const { url } = await bank(t)
      const { client } = await agentOf(t, url, { mode })
      assert.equal(client.getServerVersion()?.name, 'percolite')
      assert.match(client.getInstructions() ?? '', /never an instruction/)
      const { tools } = await client.listTools()
      assert.deepEqual(
        tools.map(({ name, annotations }) => [
          name,
          annotations?.readOnlyHint,
          annotations?.destructiveHint,
        ]),
        [
          ['describe', true, false],
          ['explain', true, false],
          ['query', true, false],
          ['write', false, true],
          ['changes', true, false],
          ['difference', true, false],
        ],
      )
    })
  }

  test('describes tables, keys, indexes and what the token may', async (t) => {
    const { url, token } = await guarded(t, 'GRANT READ ON account TO agent')
    const agent = await agentOf(t, url, { token })
    const { tables, token: known } = await agent.done('describe')
    // Of the other table it knows nothing.
    assert.deepEqual(
      tables.map(({ name }: AnswerBody) => name),
      ['account'],
    )
    assert.equal(tables[0].indexes[0].name, 'accountByOwner')
    assert.equal(known.role, 'agent')
    assert.deepEqual(
      known.grants.map(({ right, table }: AnswerBody) => [right, table]),
      [['READ', 'account']],
    )
    const { table } = await agent.done('describe', { table: 'account' })
    assert.deepEqual(table, tables[0])
    const { text } = await agent.call('describe', { language: true })
    assert.match(text, /^# Percolite\n[\s\S]*^SET credit = /m)
    const { code, nearest } = await agent.refused('describe', { table: 'acount' })
    assert.deepEqual([code, nearest], ['unknown_table', ['account']])
  })

  test('explains a text without running it, also a definition', async (t) => {
    const { server, url } = await bank(t)
    const agent = await agentOf(t, url)
    const sql =
      "GET balance FROM account WHERE id = :id INTO :b;\nSET balance = :b ON account WHERE id = 'b1'"
    const { statements } = await agent.done('explain', { sql })
    assert.deepEqual(
      statements.map(({ plan }: AnswerBody) => [plan.statement, plan.rule]),
      [
        ['GET', 'full primary key'],
        ['SET', 'full primary key'],
      ],
    )
    const { text } = await agent.call('explain', { sql: 'DROP TABLE audit' })
    assert.match(text, /dropTable: table audit, committed as soon as it runs/)
    const set = "SET balance = 1 ON account WHERE id = 'a1'"
    for (const [sql, code, line] of [
      [`DROP TABLE audit;\n${set}`, 'invalid_arguments', 1],
      [`${set};\nDROP TABLE audit`, 'syntax_error', 2],
    ] as const) {
      const error = await agent.refused('explain', { sql })
      assert.deepEqual([error.code, error.line], [code, line])
    }
    const mistake = await agent.refused('explain', {
      sql: "SET balance = 1 ON account WHERE id = 'a1';\nSELECT * FROM account WHERE id = 'a1'",
    })
    assert.deepEqual([mistake.code, mistake.line], ['syntax_error', 2])
    assert.equal(mistake.suggestion, "GET * FROM account WHERE id = 'a1'")
    assert.deepEqual(await server.rows("GET balance FROM account WHERE id = 'a1'"), [
      { balance: 10 },
    ])
  })

  test('reads rows by the page, with their digits, and as of a moment', async (t) => {
    const { server, url } = await bank(t)
    const agent = await agentOf(t, url)
    const sql = 'SCAN id FROM account WHERE id >= :first'
    const params = { first: 'b' }
    const first = await agent.done('query', { sql, params, rows: 1 })
    assert.deepEqual(first.results[0].rows, [{ id: 'b1' }])
    assert.match(first.cut, /with the same sql and params, and this cursor/)
    const second = await agent.done('query', { sql, params, rows: 1, cursor: first.cursor })
    assert.deepEqual(second.results[0].rows, [{ id: 'b2' }])
    assert.equal(second.readTimestamp, first.readTimestamp)

    const note = '{"n":12345678901234567890}'
    await server.query(
      `SET note = '${note}', balance = 9223372036854775807 ON account WHERE id = 'a1'`,
    )
    const { text } = await agent.call('query', {
      sql: "GET balance, note FROM account WHERE id = 'a1'; SHOW TABLES",
    })
    assert.ok(text.includes(`[{"balance":"9223372036854775807","note":${note}}]`), text)
    const past = await agent.done('query', {
      sql: "GET balance FROM account WHERE id = 'a1'",
      asOf: first.readTimestamp,
    })
    assert.deepEqual(past.results[0].rows, [{ balance: 10 }])
  })

  test('cuts off what is too long, and says how to go on', async (t) => {
    const { server, url } = await bank(t)
    const rows = (from: number, count: number, length: number) =>
      Array.from({ length: count }, (_, n) => ({ id: from + n, text: 'x'.repeat(length) }))
    await server.post('/v1/tables/audit/rows', rows(0, 5, 40_000))
    await server.post('/v1/tables/audit/rows', rows(5, 1, 200_000))
    const agent = await agentOf(t, url)
    const sql = 'SCAN * FROM audit'
    const first = await agent.done('query', { sql })
    const second = await agent.done('query', { sql, cursor: first.cursor })
    const ids = (answer: AnswerBody) => answer.results[0].rows.map(({ id }: AnswerBody) => id)
    assert.deepEqual(
      [ids(first), ids(second)],
      [
        [0, 1],
        [2, 3],
      ],
    )
    const list = await agent.done('query', { sql: 'GET * FROM audit WHERE id IN (0, 1, 2, 3)' })
    assert.deepEqual([ids(list), list.results[0].rowsLeftOut], [[0, 1], 2])
    assert.match(list.cut, /rowsLeftOut/)
    const one = await agent.refused('query', { sql: 'SCAN * FROM audit WHERE id >= 5' })
    assert.equal(one.code, 'answer_too_large')
    assert.match(one.hint, /substr/)
  })

  test('query refuses what writes before any of it runs, with its place', async (t) => {
    const { server, url } = await bank(t)
    const agent = await agentOf(t, url)
    for (const [sql, code, line] of [
      ["SET balance = 0 ON account WHERE id = 'a1'", 'read_only_transaction', 1],
      ["SHOW TABLES;\n SET balance = 0 ON account WHERE id = 'a1'", 'read_only_transaction', 2],
      ["COMMIT; SET balance = 0 ON account WHERE id = 'a1'; BEGIN", 'read_only_transaction', 1],
      ['SHOW TABLES; COMMIT; SHOW TABLES', 'script_mixture', 1],
      ["COMMIT; BEGIN; SET balance = 0 ON account WHERE id = 'a1'", 'read_only_transaction', 1],
      ["SHOW TABLES; -- \nDELETE FROM account WHERE id = 'a1' --", 'read_only_transaction', 2],
      ['DROP TABLE account', 'read_only_transaction', 1],
      ["GET * FROM account WHERE id = 'a1' FOR UPDATE", 'read_only_transaction', 1],
    ] as const) {
      const error = await agent.refused('query', { sql })
      assert.deepEqual([error.code, error.line], [code, line], sql)
    }
    // A cursor makes no SCAN of it.
    const { code } = await agent.refused('query', { sql: 'DROP TABLE account', cursor: 'x' })
    assert.equal(code, 'invalid_arguments')
    assert.equal(
      (
        await server.rows('SCAN * FROM account WHERE balance > 0 AND id > :a', {
          params: { a: '' },
        })
      ).length,
      3,
    )
  })

  test('a server that is away, and a token that was dropped, are errors of the tools', async (t) => {
    const away = await agentOf(t, GONE)
    const gone = await away.refused('query', { sql: 'SHOW TABLES' })
    assert.deepEqual([gone.code, /--url/.test(gone.hint)], ['connection_failed', true])

    const { url, token, run } = await guarded(t, 'GRANT READ, WRITE ON ALL TABLES TO agent')
    const agent = await agentOf(t, url, { token })
    const sql = "DELETE FROM account WHERE id = 'a1'"
    const { confirmation } = await agent.done('write', { sql })
    await run('DROP TOKEN mine')
    const refused = await agent.refused('write', { sql, confirmation })
    assert.deepEqual([refused.code, /--token-file/.test(refused.hint)], ['unauthenticated', true])
    assert.equal((await agent.refused('describe')).code, 'unauthenticated')
  })

  test('arguments that its schema does not have are refused', async (t) => {
    const agent = await agentOf(t, GONE)
    for (const given of [
      {},
      { sql: 1 },
      { sql: 'SHOW TABLES', limit: 1 },
      { sql: 'SHOW TABLES', rows: 1_001 },
    ]) {
      const { isError } = await agent
        .call('query', given)
        .catch((error: unknown) => ({ isError: /arg|input|param/i.test(String(error)) }))
      assert.equal(isError, true, JSON.stringify(given))
    }
  })
})
