// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { startTestServer, type TestServer } from '../../../test/server/test-server.ts'

// What users of SQL write in the first hour. Every statement that an error suggests is sent, and has to run.

const SCHEMA = [
  'CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL, note TEXT, at TIMESTAMP, data JSON)',
  'CREATE TABLE trade (id TEXT, at TIMESTAMP, amount INTEGER, account TEXT, PRIMARY KEY (id, at))',
  'CREATE UNIQUE INDEX accountByNote ON account (note)',
  'CREATE INDEX accountByBalance ON account (balance)',
  'CREATE INDEX accountByAt ON account (at)',
]

/** Values for the parameters that a suggestion leaves open. */
const VALUES: Readonly<Record<string, unknown>> = {
  moment: '2026-01-31T12:00:00Z',
  values: ['bob'],
  id: 'new',
  balance: 1,
}

/** Statements whose error suggests another one. */
const REWRITTEN = [
  'SELECT * FROM account',
  "SELECT * FROM account WHERE id = 'bob'",
  "SELECT a.id, a.balance b FROM account AS a WHERE a.id = 'bob'",
  'SELECT a.* FROM public.account a WHERE a.balance > 3',
  "SCAN account.id FROM public.account WHERE account.id > 'a'",
  'SELECT t.amount, a.balance FROM trade t JOIN account a ON a.id = t.account',
  "SELECT t.*, a.balance FROM trade AS t LEFT JOIN account AS a ON a.id = t.account WHERE t.id > 'a' LIMIT 5",
  'SCAN balance b FROM account',
  "SCAN * FROM account a WHERE id > 'a'",
  'SELECT CAST(balance AS TEXT) FROM account',
  "SELECT balance::text, id::varchar(20) FROM account WHERE id = 'bob'::text",
  "SELECT * FROM account WHERE at > now() - INTERVAL '1 day'",
  'SCAN extract(year FROM at) FROM account',
  'SELECT substring(id FROM 1 FOR 2) FROM account',
  'SCAN at + INTERVAL 1 DAY FROM account',
  "SELECT CASE WHEN balance > 0 THEN 'a' END, data->>'a' FROM account",
  'SELECT * FROM account WHERE id IN (SELECT account FROM trade)',
  'INSERT INTO account (id, balance) SELECT id, amount FROM trade',
  "INSERT INTO account VALUES ('sue', 1)",
  'EXPLAIN (ANALYZE, BUFFERS) SELECT * FROM account',
  'EXPLAIN QUERY PLAN SELECT * FROM account',
  "EXPLAIN ANALYZE UPDATE account SET balance = 1 WHERE id = 'bob'",
  'CREATE TABLE t1 (id SERIAL PRIMARY KEY, n INTEGER)',
  'CREATE TABLE t2 (id BIGSERIAL PRIMARY KEY)',
  'CREATE TABLE t3 (n INTEGER, id INTEGER PRIMARY KEY AUTOINCREMENT)',
  'CREATE TABLE t4 (id INT AUTO_INCREMENT PRIMARY KEY)',
  'CREATE TABLE t5 (id INT IDENTITY(1,1) PRIMARY KEY)',
  'CREATE TABLE t6 (id TEXT PRIMARY KEY, at TIMESTAMP DEFAULT CURRENT_TIMESTAMP)',
  'CREATE TEMP TABLE t7 (id TEXT PRIMARY KEY)',
  'CREATE TABLE t8 (id SERIAL PRIMARY KEY, email VARCHAR(50) UNIQUE)',
  'CREATE TABLE t9 (id UUID PRIMARY KEY DEFAULT gen_random_uuid(), n FLOAT8, d TIMESTAMPTZ(3))',
  "INSERT INTO account (id, balance) VALUES ('bob', 5) ON CONFLICT (id) DO UPDATE SET balance = excluded.balance WHERE account.balance < 5",
  "INSERT INTO account (id, balance) VALUES ('bob', 5) ON DUPLICATE KEY UPDATE balance = VALUES(balance)",
  'UPDATE account SET balance = 0 WHERE balance > 5',
  "UPDATE account SET balance = 0 WHERE id IN ('bob', 'joe')",
  "UPDATE account a SET balance = 0 WHERE a.id = 'bob'",
  "UPDATE account SET balance = 1 WHERE id = 'bob' RETURNING balance",
  'UPDATE account SET balance = 0',
  "SET balance = 0 ON account WHERE id > 'a' IF balance > 5",
  "SET balance = 0 ON account WHERE id IN ('bob', 'joe') IF EXISTS",
  "GET * FROM trade WHERE id = 'a'",
  "DELETE account WHERE id = 'nobody'",
  "DELETE FROM account a WHERE a.id = 'nobody'",
  'SELECT count(*) FROM account',
  "SELECT IF(balance > 1, 'a', 'b') FROM account WHERE note ILIKE 'X%'",
  'SELECT * FROM account WHERE at > CURRENT_DATE',
  'SELECT DISTINCT note FROM account',
  'SELECT balance FROM account GROUP BY balance HAVING count(*) > 1',
  'SELECT note, COUNT(DISTINCT balance) AS n FROM account GROUP BY note ORDER BY n DESC LIMIT 3',
  'SELECT TOP 5 * FROM account',
  'SELECT CAST(balance AS DECIMAL(10,2)), balance::numeric / 3 AS third FROM account',
  'CREATE TABLE d1 (id VARCHAR(9) PRIMARY KEY, n DECIMAL, m MONEY NOT NULL, o NUMERIC(10))',
  'ALTER TABLE trade ADD price NUMBER(10,2)',
  'SELECT * FROM account FETCH FIRST 5 ROWS ONLY',
  "SELECT * FROM account WHERE id = 'bob' FOR UPDATE",
  'SHOW DATABASES',
  "SHOW TABLES LIKE 'a%'",
  'USE test',
  '\\dt',
  '\\d account',
  'TABLE account',
  'START TRANSACTION',
  'BEGIN ISOLATION LEVEL SERIALIZABLE',
  'SET TRANSACTION ISOLATION LEVEL SERIALIZABLE',
  'DESC account',
  'ALTER TABLE trade ADD x INTEGER',
  'CREATE INDEX ON trade (amount)',
  'SELECT * FROM "account" WHERE balance == 3',
  "SELECT * FROM trade WHERE account = 'bob'",
  'SELECT * FROM trade WHERE amount > 3',
  'EXPLAIN SELECT * FROM trade WHERE amount = 3',
  'DELETE trade WHERE amount > 3',
]

/** Statements for which there is no other one, and the words that say what to do. */
const ADVISED: ReadonlyArray<readonly [string, RegExp]> = [
  ['SELECT * FROM account a, trade t WHERE a.id = t.account', /LOOKUP table BY/],
  ['SELECT * FROM account NATURAL JOIN trade', /LOOKUP table BY/],
  ['SCAN id FROM account UNION SCAN id FROM trade', /reads one table/],
  ['SCAN cast(balance as varchar) AS b FROM account', /VARCHAR is written TEXT/],
  ["SCAN * FROM account WHERE at > INTERVAL '1 month'", /added to a time/],
  ['SCAN substring(id, 1) FROM account', /It is called substr/],
  ["SCAN * FROM account WHERE data->'n' > 3", /\(a->>'n'\)::INTEGER/],
  ['SCAN * FROM (SELECT * FROM account)', /read the inner one first/],
  ['SELECT * FROM account WHERE EXISTS (SELECT 1 FROM trade)', /read the inner one first/],
  ['INSERT INTO account SELECT * FROM trade', /INSERT takes VALUES/],
  ['SAVEPOINT a', /no savepoints/],
  ['ROLLBACK TO SAVEPOINT a', /no savepoints/],
  ['SCAN * FROM account WHERE at < CURRENT_TIMESTAMP', /now\(\)/],
  ["SCAN * FROM account WHERE at = '2026-02-30'", /no day 2026-02-30.*'2026-02-28'/],
  ["SET at = '2026-13-01' ON account WHERE id = 'bob'", /no month 13/],
  ["SET at = '2026-01-01 10:00' ON account WHERE id = 'bob'", /'2026-01-01T10:00Z'/],
  ['SCAN jump() FROM account', /now, uuid, coalesce.*COUNT, SUM/],
  ['SCAN random() FROM account', /in the program/],
  ["INSERT OR REPLACE INTO account (id) VALUES ('bob')", /inserts or updates a row/],
  ['CREATE TABLE t (id TEXT PRIMARY KEY, a TEXT REFERENCES account (id))', /FOR UPDATE guards/],
  ['SELECT * FROM account LIMIT 10 OFFSET 20', /there is no OFFSET/],
  ['SCAN count(*) FROM account HAVING count(*) > 1', /HAVING comes after GROUP BY/],
  ['CREATE TABLE t (id TEXT PRIMARY KEY, n NUMERIC(10,2), d DATE, at TIME)', /TIME is not there/],
  ['SCAN at::time FROM account', /TIME is not there, since .* TIMESTAMP is a moment/],
  ['CREATE USER joe', /a role, which a token has/],
  ['SCAN count(*) OVER () FROM account', /no window functions/],
  ["SCAN * FROM account WHERE (id, balance) > ('a')", /\(a, b\) > \(:x, :y\)/],
  ['SCAN (id, balance) FROM account', /compared with another/],
  [
    'SCAN * FROM trade WHERE amount % 2 = 0 ORDER BY account',
    /INDEX tradeByAccount ON.*USE INDEX.*PRIMARY KEY and LIMIT/,
  ],
  [
    'SCAN * FROM trade USE PRIMARY KEY WHERE amount % 2 = 0 ORDER BY account',
    /INDEX tradeByAccount.*LIMIT n/,
  ],
  ['CREATE VIEW v AS SELECT * FROM account', /no views/],
  ['VACUUM', /nothing to tidy up/],
  ["COPY account FROM 'x'", /percolite import/],
]

/** Words of a statement after a colon are a promise, but for a form with dots in it. */
const PROMISED =
  /: (?:GET|SCAN|SET|INSERT|DELETE|CREATE|ALTER|DROP|SHOW|DESCRIBE|EXPLAIN|BEGIN|COMMIT|ROLLBACK)\b(?!.*…)/

function paramsOf(sql: string): { readonly params?: Record<string, unknown> } {
  const names = [...sql.matchAll(/:([a-z]+)/g)].map(([, name]) => name as string)
  if (names.length === 0) return {}
  return { params: Object.fromEntries(names.map((name) => [name, VALUES[name]])) }
}

async function preparedServer(t: Parameters<typeof startTestServer>[0]): Promise<TestServer> {
  const server = await startTestServer(t)
  for (const sql of SCHEMA) await server.rows(sql)
  await server.rows(
    "INSERT INTO account (id, balance, note) VALUES ('bob', 10, 'x'), ('joe', 2, 'y')",
  )
  for (const table of ['account', 'trade']) await server.indexesBuilt(table)
  return server
}

test('every statement that an error suggests runs', async (t) => {
  const server = await preparedServer(t)
  for (const sql of REWRITTEN) {
    await t.test(sql, async () => {
      const { body } = await server.query(sql)
      const { hint, suggestion } = body
      assert.ok(suggestion !== undefined, `it has no suggestion: ${JSON.stringify(body)}`)
      assert.ok(hint.endsWith(suggestion), hint)
      const { status, text } = await server.query(suggestion, paramsOf(suggestion))
      assert.ok(status === 200 || status === 201, `${suggestion}: ${text}`)
    })
  }
})

test('where there is no other statement, the hint says what to do and promises none', async (t) => {
  const server = await preparedServer(t)
  for (const [sql, words] of ADVISED) {
    await t.test(sql, async () => {
      const { status, body } = await server.query(sql)
      assert.ok(status >= 400 && status < 500, JSON.stringify(body))
      assert.match(body.hint ?? '', words, JSON.stringify(body))
      if (body.suggestion === undefined) assert.doesNotMatch(body.hint, PROMISED)
    })
  }
})

/** What is written, and the statement that is suggested: all that is not rewritten stays as it was. */
const KEPT: ReadonlyArray<readonly [string, string]> = [
  [
    "SELECT a.id, t.amount FROM account a JOIN trade t ON a.id = t.id WHERE a.id = 'a.id' AND t.account <> 'a.id'",
    "SCAN a.id, t.amount FROM trade AS t LOOKUP account AS a BY a.id = t.id WHERE t.id = 'a.id' AND t.account <> 'a.id'",
  ],
  [
    'SELECT "a"."id", "t"."amount" FROM "account" "a" JOIN "trade" "t" ON "a"."id" = "t"."id" WHERE "a"."id" = $1 LIMIT 3',
    'SCAN "a"."id", "t"."amount" FROM trade AS t LOOKUP account AS a BY a.id = t.id WHERE t.id = $1 LIMIT 3',
  ],
  [
    "SELECT a.id FROM account a JOIN trade t ON (a.id = t.id) WHERE a.id /* a.id */ IN ('x where ', 'a.id') AND a.idx IS NULL",
    "SCAN a.id FROM trade AS t LOOKUP account AS a BY a.id = t.id WHERE t.id /* a.id */ IN ('x where ', 'a.id') AND a.idx IS NULL",
  ],
  [
    "SELECT a.id FROM account a JOIN trade t ON a.id = t.id WHERE a.id > 'b' AND a.id || 'x' <> 'bx' ORDER BY a.id",
    "SCAN a.id FROM trade AS t LOOKUP account AS a BY a.id = t.id WHERE t.id > 'b' AND a.id || 'x' <> 'bx' ORDER BY t.id",
  ],
  [
    "INSERT OR REPLACE INTO account (id, note, balance) VALUES ('k', ' DO UPDATE SET ', 1)",
    "INSERT INTO account (id, note, balance) VALUES ('k', ' DO UPDATE SET ', 1) ON CONFLICT DO UPDATE SET note = excluded.note, balance = excluded.balance",
  ],
  ['DELETE FROM account "a" WHERE a.id = \'n\'', "DELETE FROM account WHERE id = 'n'"],
  [
    "SCAN `id` FROM account WHERE note = 'say `id`, [id]' OR id = 'b'",
    "SCAN \"id\" FROM account USE PRIMARY KEY WHERE note = 'say `id`, [id]' OR id = 'b'",
  ],
  [
    "SCAN id FROM account WHERE id = @id AND note = 'a@b'",
    "SCAN id FROM account WHERE id = :id AND note = 'a@b'",
  ],
  [
    "SCAN id FROM account WHERE id = ‘x’ AND note = 'it’s'",
    "SCAN id FROM account WHERE id = 'x' AND note = 'it’s'",
  ],
  [
    'GET balance + 1 AS n FROM account AS a AS OF 1 WHERE a.balance > 3',
    'SCAN balance + 1 AS n FROM account AS a AS OF 1 USE PRIMARY KEY WHERE a.balance > 3',
  ],
  [
    "SET balance = 0 ON account USE PRIMARY KEY WHERE id > 'a' IF balance > 5 LIMIT 2 RETURNING id, balance + 1 AS n",
    "SET balance = 0 ON account USE PRIMARY KEY WHERE id > 'a' AND balance > 5 LIMIT 2 RETURNING id, balance + 1 AS n",
  ],
]

test('a suggestion changes what it says and nothing else, whatever stands in quotes', async (t) => {
  const server = await preparedServer(t)
  await server.rows('ALTER TABLE account ADD COLUMN idx INTEGER')
  const { readTimestamp } = (await server.query('SCAN id FROM account')).body
  for (const [sql, expected] of KEPT) {
    const asOf = (text: string) => text.replace('AS OF 1', `AS OF ${readTimestamp}`)
    const { body } = await server.query(asOf(sql))
    assert.equal(body.suggestion, asOf(expected), JSON.stringify(body))
  }
})

test('a choice among values is written with IN, and runs then', async (t) => {
  const server = await preparedServer(t)
  for (const sql of [
    "SCAN * FROM account WHERE id = 'a' OR id = 'bob'",
    "GET * FROM account WHERE id = 'a' OR 'bob' = id",
    "DELETE FROM account WHERE note = 'n' OR note = 'm'",
  ]) {
    const { body } = await server.query(sql)
    const [, from, to] =
      /(?:^|\. )(\w+ = .*? OR .*?) is written (\w+ IN \(.*?\))/.exec(body.hint) ?? []
    assert.ok(from !== undefined && to !== undefined, body.hint)
    const { status, text } = await server.query(sql.replace(/WHERE .*/, `WHERE ${to}`))
    assert.equal(status, 200, text)
  }
})

test('rows behind another are the same by the row of values that the advice names', async (t) => {
  const server = await preparedServer(t)
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']
  const values = names.map((id, at) => `('${id}', ${at % 3}, '${id}')`)
  await server.rows(`INSERT INTO account (id, balance, note) VALUES ${values.join(', ')}`)
  const choice = "balance > 1 OR (balance = 1 AND id > 'e')"
  const walk = 'SCAN id FROM account USE INDEX accountByBalance WHERE'
  const [plan] = await server.rows(`EXPLAIN ${walk} ${choice}`)
  const bounded = "(balance, id) > (1, 'e')"
  const { bounds, filter, advice, entryFilter } = plan?.plan ?? {}
  assert.deepEqual(
    [bounds, entryFilter, filter],
    [['balance >= 1'], ["((balance > 1) OR ((balance = 1) AND (id > 'e')))"], []],
  )
  assert.equal(advice, `${choice} is written ${bounded}, which bounds balance, id`)
  const [better] = await server.rows(`EXPLAIN SCAN id FROM account WHERE ${bounded}`)
  assert.deepEqual(better?.plan.bounds, [bounded])
  const sorted = 'ORDER BY balance, id'
  assert.deepEqual(
    await server.rows(`${walk} ${choice} ${sorted}`),
    await server.rows(`SCAN id FROM account WHERE ${bounded} ${sorted}`),
  )
  const nullable = await server.rows(
    "EXPLAIN SCAN id FROM account USE PRIMARY KEY WHERE note > 'n' OR (note = 'n' AND id > 'e')",
  )
  assert.doesNotMatch(JSON.stringify(nullable), /is written/)
})

test('an index that an error suggests has no column of the key at its end, and serves', async (t) => {
  const server = await preparedServer(t)
  for (const [sql, columns] of [
    ['SCAN * FROM trade WHERE amount > 3', '(amount)'],
    ["SCAN * FROM trade WHERE account = 'a' ORDER BY id, at", '(account)'],
    ['SCAN * FROM trade ORDER BY amount, id, at', '(amount)'],
    ['SCAN * FROM trade ORDER BY amount DESC, id', '(amount DESC)'],
    [
      "SCAN * FROM trade WHERE account = 'b' AND amount > 3 ORDER BY amount, at",
      '(account, amount, at)',
    ],
  ] as const) {
    const { body } = await server.query(sql)
    assert.ok(body.suggestedIndex.endsWith(columns), `${sql}: ${body.suggestedIndex}`)
    assert.equal((await server.query(body.suggestedIndex)).status, 200)
    await server.indexesBuilt('trade')
    const { status, text } = await server.query(sql)
    assert.equal(status, 200, text)
    await server.query(`DROP INDEX ${/INDEX (\w+)/.exec(body.suggestedIndex)?.[1]}`)
  }
})

test('a violated index is told with its values, the row of many and its place', async (t) => {
  const server = await preparedServer(t)
  const many = await server.query(
    "INSERT INTO account (id, balance, note) VALUES ('q', 1, 'n'),\n ('r', 2, 'y')",
  )
  const { code, index, values, row, line, column, key, detail } = many.body
  assert.deepEqual([code, index, values, row], ['unique_violation', 'accountByNote', ['y'], 1])
  assert.deepEqual([line, column, key], [2, 3, ['r']])
  assert.match(detail, /note = "y"/)
  const one = await server.query("SET note = 'y' ON account WHERE id = 'bob'")
  assert.deepEqual([one.body.values, one.body.row, one.body.key], [['y'], undefined, ['bob']])
})

test('errors of posted rows name their row', async (t) => {
  const server = await preparedServer(t)
  const good = Array.from({ length: 3 }, (_, id) => ({ id: `g${id}`, balance: 1 }))
  for (const [wrong, expected] of [
    [{ id: 'z', balance: 'many' }, 'type_mismatch'],
    [{ id: 'z', balanse: 1 }, 'unknown_column'],
    [{ id: 'z' }, 'not_null_violation'],
    [{ id: 'z', balance: null }, 'not_null_violation'],
    [{ id: 'bob', balance: 1 }, 'already_exists'],
    [{ id: 'z', balance: 1, note: 'y' }, 'unique_violation'],
    [{ id: 'g0', balance: 1 }, 'already_exists'],
  ] as const) {
    const { body } = await server.post('/v1/tables/account/rows', [
      ...good,
      wrong,
      { id: 'y', balance: 1 },
    ])
    assert.deepEqual([body.code, body.row], [expected, 3], JSON.stringify(body))
  }
})

test('a table that is read as of a moment before its creation is told with that of its creation', async (t) => {
  const server = await preparedServer(t)
  const { body: before } = await server.query('SCAN * FROM account')
  const { body: created } = await server.query('CREATE TABLE late (id TEXT PRIMARY KEY)')
  await server.query('ALTER TABLE late ADD COLUMN note TEXT')
  const asOf = before.readTimestamp
  const createdAt = created.commitTimestamp
  for (const answer of [
    await server.query(`SCAN * FROM late AS OF ${asOf}`),
    await server.query(`SHOW TABLES; SCAN * FROM late AS OF ${asOf}`),
    await server.query('SCAN * FROM late', { asOf }),
    await server.get(`/v1/tables/late?asOf=${asOf}`),
    await server.get(`/v1/tables/late/rows?asOf=${asOf}`),
    await server.get(`/v1/tables/late/rows?format=csv&asOf=${asOf}`),
    await server.get(`/v1/tables/late/rows/a?asOf=${asOf}`),
  ]) {
    assert.deepEqual(
      [answer.status, answer.body.code, answer.body.createdAt],
      [404, 'unknown_table', createdAt],
      answer.text,
    )
  }
  assert.equal((await server.query(`SCAN * FROM late AS OF ${createdAt}`)).status, 200)
  const never = await server.query(`SCAN * FROM nosuch AS OF ${asOf}`)
  assert.equal(never.body.createdAt, undefined)
})
