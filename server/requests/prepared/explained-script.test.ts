// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startTestServer, type TestServer } from '../../../test/server/test-server.ts'

async function bank(t: Parameters<typeof startTestServer>[0]): Promise<TestServer> {
  const server = await startTestServer(t)
  for (const sql of [
    'CREATE TABLE account (id TEXT PRIMARY KEY, owner TEXT, balance INTEGER NOT NULL)',
    'CREATE TABLE owner (id TEXT PRIMARY KEY, accounts INTEGER NOT NULL DEFAULT 0)',
    'CREATE WEAK OBSERVER fold ON owner (accounts)',
    "INSERT INTO account (id, owner, balance) VALUES ('a1', 'bob', 10), ('a2', 'joe', 0)",
    "INSERT INTO owner (id) VALUES ('bob')",
  ]) {
    assert.equal((await server.query(sql)).status, 200, sql)
  }
  return server
}

type Plan = {
  readonly statement: string
  readonly bounds: readonly string[]
  readonly writes?: string
  readonly measured?: { readonly rowsAffected: number; readonly rowsReturned: number }
}

/** The plan of each statement; null for what has none. */
async function plansOf(
  server: TestServer,
  sql: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Plan[]> {
  const { status, body, text } = await server.query(sql, more)
  assert.equal(status, 200, text)
  assert.equal(body.commitTimestamp, undefined)
  return body.results.map(({ rows }: { rows: ReadonlyArray<{ plan: Plan }> }) => {
    return rows[0]?.plan ?? null
  })
}

async function refused(
  server: TestServer,
  sql: string,
  more: Readonly<Record<string, unknown>> = {},
) {
  const { status, body } = await server.query(sql, more)
  assert.notEqual(status, 200, sql)
  const { code, statement, line, column, hint } = body
  return { code, statement, line, column, hint }
}

const balances = async (server: TestServer) =>
  (await server.query('SCAN id, balance FROM account')).body.results[0].rows

const MOVE = `GET owner FROM account WHERE id = 'a1' INTO :owner;
  CHECK balance >= 7 ON account WHERE id = 'a1';
  SET balance = balance - 7 ON account WHERE id = 'a1';
  SET accounts = accounts + 1 ON owner WHERE id = :owner RETURNING accounts INTO :n;
  NOTIFY fold ON owner WHERE id = :owner;
  INSERT INTO account (id, owner, balance) VALUES ('a3', :owner, :n);
  SCAN SUM(balance) AS total FROM account WHERE id >= 'a' INTO :total;
  SET balance = balance + :total ON account WHERE id = 'a3'`

describe('EXPLAIN SCRIPT', () => {
  test('explains every statement of its text, with the types of what is read INTO', async (t) => {
    const server = await bank(t)
    const plans = await plansOf(server, `EXPLAIN SCRIPT ${MOVE}`)
    assert.deepEqual(
      plans.map(({ statement, bounds }) => [statement, ...bounds]),
      [
        ['GET', "id = 'a1'"],
        ['CHECK', "id = 'a1'"],
        ['SET', "id = 'a1'"],
        ['SET', 'id = :owner'],
        ['NOTIFY', 'id = :owner'],
        ['INSERT'],
        ['SCAN', "id >= 'a'"],
        ['SET', "id = 'a3'"],
      ],
    )
    assert.equal(plans[1]?.writes, 'guards the row if balance >= 7, else fails')
    assert.equal(plans[4]?.writes, 'notifies fold of the row')
    assert.ok(plans.every(({ measured }) => measured === undefined))
    assert.equal((await balances(server)).length, 2)
  })

  test('leaves BEGIN and its end as they are, and knows what statements before it have read', async (t) => {
    const server = await bank(t)
    const begun = await plansOf(server, `EXPLAIN SCRIPT BEGIN; ${MOVE}; COMMIT;`)
    assert.deepEqual([begun[0], begun.length, begun.at(-1)], [null, 10, null])
    const after = await plansOf(
      server,
      "GET owner FROM account WHERE id = 'a2' INTO :o; EXPLAIN SCRIPT GET id FROM owner WHERE id = :o",
    )
    assert.deepEqual(after[1]?.bounds, ['id = :o'])
  })

  test('with ANALYZE runs all of it once: each statement sees those before it, and nothing is kept', async (t) => {
    const server = await bank(t)
    const before = await balances(server)
    for (const text of [MOVE, `BEGIN; ${MOVE}; COMMIT`]) {
      const plans = (await plansOf(server, `EXPLAIN ANALYZE SCRIPT ${text}`)).filter(Boolean)
      assert.deepEqual(
        plans.map(({ measured }) => [measured?.rowsReturned, measured?.rowsAffected]),
        [
          ...[
            [1, 0],
            [0, 0],
            [0, 1],
            [1, 1],
          ],
          ...[
            [0, 0],
            [0, 1],
            [1, 0],
            [0, 1],
          ],
        ],
      )
      assert.deepEqual(await balances(server), before)
    }
    const [first, second] = await plansOf(
      server,
      "EXPLAIN ANALYZE SCRIPT DELETE FROM account WHERE id >= 'a'; SCAN * FROM account",
    )
    assert.deepEqual([first?.measured?.rowsAffected, second?.measured?.rowsReturned], [2, 0])
    assert.deepEqual(await balances(server), before)
  })

  test('fails as a run of it would, and names the statement', async (t) => {
    const server = await bank(t)
    const ofCheck = await refused(
      server,
      `EXPLAIN ANALYZE SCRIPT SET balance = 0 ON account WHERE id = 'a1';
CHECK balance > 0 ON account WHERE id = 'a1'`,
    )
    assert.deepEqual([ofCheck.code, ofCheck.statement, ofCheck.line], ['check_failed', 1, 2])
    const none = "EXPLAIN ANALYZE SCRIPT GET owner FROM account WHERE id = 'x' INTO :o; SHOW TABLES"
    assert.equal((await refused(server, none)).code, 'syntax_error')
    const noRow = await refused(server, none.replace('SHOW TABLES', 'SCAN * FROM owner'))
    assert.deepEqual([noRow.code, noRow.statement], ['row_not_found', 0])
    const wrong = await refused(
      server,
      'EXPLAIN SCRIPT GET balance FROM account WHERE id = :id INTO :b;\nGET * FROM owner WHERE id = :b',
    )
    assert.deepEqual([wrong.code, wrong.statement, wrong.line], ['type_mismatch', 1, 2])
    const unbounded = await refused(
      server,
      "EXPLAIN SCRIPT SCAN * FROM owner; DELETE FROM account WHERE owner = 'bob'",
    )
    assert.deepEqual([unbounded.code, unbounded.statement], ['unbounded_scan', 1])
  })

  test('takes what EXPLAIN takes, and says where something else stands', async (t) => {
    const server = await bank(t)
    for (const [sql, line, column] of [
      ['EXPLAIN SCRIPT SCAN * FROM owner;\nSHOW TABLES', 2, 1],
      ['EXPLAIN SCRIPT SCAN * FROM owner;\n DROP TABLE owner', 2, 2],
      ['EXPLAIN SCRIPT SCAN * FROM owner;\nEXPLAIN SCAN * FROM owner', 2, 1],
      ['EXPLAIN SCRIPT SCAN * FROM owner;\nEXPLAIN SCRIPT SCAN * FROM owner', 2, 1],
      ['EXPLAIN SCRIPT BEGIN', 1, 1],
      ['EXPLAIN SCRIPT BEGIN; COMMIT', 1, 1],
      ['EXPLAIN SCRIPT DROP TABLE owner', 1, 16],
    ] as const) {
      const answer = await refused(server, sql)
      assert.deepEqual(
        [answer.code, answer.line, answer.column],
        ['syntax_error', line, column],
        sql,
      )
    }
  })

  test('with ANALYZE takes nothing along into its rollback', async (t) => {
    const server = await bank(t)
    const explained = "EXPLAIN ANALYZE SCRIPT SET balance = 1 ON account WHERE id = 'a1'"
    const write = "SET balance = 2 ON account WHERE id = 'a2'"
    const before = await refused(server, `${write}; ${explained}`)
    assert.deepEqual([before.code, before.statement], ['script_mixture', 0])
    const { body } = await server.send({
      method: 'POST',
      path: '/v1/query',
      json: { statements: [{ sql: explained }, { sql: write }] },
    })
    assert.deepEqual([body.code, body.statement], ['script_mixture', 1])
    const opened = await server.query('BEGIN')
    const inside = await refused(server, explained, { transaction: opened.body.transaction })
    assert.equal(inside.code, 'script_mixture')
    const kept = await refused(server, `BEGIN; ${explained}`, { keepOpen: true })
    assert.equal(kept.code, 'script_mixture')
    const alone = await server.query(
      "EXPLAIN SCRIPT SCAN * FROM account; DELETE FROM account WHERE id = 'a1'",
      {
        transaction: opened.body.transaction,
      },
    )
    assert.equal(alone.status, 200, alone.text)
  })

  test('is one transaction in a script of several, too', async (t) => {
    const server = await bank(t)
    const sql = `SET balance = 3 ON account WHERE id = 'a2'; EXPLAIN ANALYZE SCRIPT ${MOVE}`
    const { status, body, text } = await server.send({
      method: 'POST',
      path: '/v1/scripts',
      json: { sql },
    })
    assert.equal(status, 200, text)
    assert.equal(body.results.at(-1).rows[0].plan.measured.rowsAffected, 1)
    assert.deepEqual(await balances(server), [
      { id: 'a1', balance: 10 },
      { id: 'a2', balance: 3 },
    ])
  })
})
