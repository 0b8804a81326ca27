// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openSocket } from '../../../test/server/socket-client.ts'
import { TokenServer } from '../../../test/server/token-server.ts'

/** `note` has a rule by key, `todo` one by row; rows of ann and of bob. */
async function ruledServer(t: Parameters<typeof TokenServer.start>[0]) {
  const tokens = await TokenServer.start(t)
  const admin = tokens.as(tokens.token)
  const run = (sql: string) => admin.run(sql)
  await run('CREATE TABLE note (org TEXT, id INTEGER, text TEXT, PRIMARY KEY (org, id))')
  await run('CREATE TABLE todo (id INTEGER PRIMARY KEY, owner TEXT, n INTEGER)')
  await run('CREATE INDEX byN ON todo (n)')
  await run('CREATE ROLE member')
  await run('GRANT READ, WRITE ON note TO member WHERE org = token.sub')
  await run('GRANT READ, WRITE ON todo TO member WHERE owner = token.sub')
  await run(
    "INSERT INTO note (org, id, text) VALUES ('ann', 1, 'a'), ('ann', 2, 'b'), ('bob', 1, 'c')",
  )
  await run("INSERT INTO todo (id, owner, n) VALUES (1, 'ann', 5), (2, 'bob', 0), (3, 'ann', 7)")
  const ann = tokens.as(await tokens.made('CREATE TOKEN ann ROLE member EXPIRES IN 1 DAY'))
  const bob = tokens.as(await tokens.made('CREATE TOKEN bob ROLE member EXPIRES IN 1 DAY'))
  return { tokens, admin, run, ann, bob }
}

describe('a rule of a role', () => {
  test('shows its rows and no others, at every door', async (t) => {
    const { ann, bob } = await ruledServer(t)
    const rows = (sql: string) => ann.rows(sql)
    assert.deepEqual(
      (await rows('SCAN * FROM note')).map(({ id }) => id),
      [1, 2],
    )
    assert.deepEqual(await rows('SCAN COUNT(*) AS n, MAX(id) AS m FROM note'), [{ n: 2, m: 2 }])
    assert.deepEqual(await rows("GET * FROM note WHERE org = 'bob' AND id = 1"), [])
    assert.equal((await rows("GET * FROM note WHERE org IN ('ann', 'bob') AND id = 1")).length, 1)
    assert.deepEqual(await rows('SCAN MIN(n) AS n FROM todo'), [{ n: 5 }])
    assert.deepEqual(await bob.rows('SCAN id FROM todo WHERE n >= 0'), [{ id: 2 }])
    assert.deepEqual(await rows('GET * FROM todo WHERE id = 2'), [])
    const [{ plan }] = (await rows('EXPLAIN SCAN * FROM note')) as [{ plan: { bounds: string[] } }]
    assert.deepEqual(plan.bounds, ['org = token.sub'], 'and walks past no other')
    const list = await ann.send({ path: '/v1/tables/note/rows' })
    assert.equal(list.body.rows.length, 2)
    assert.equal((await ann.send({ path: '/v1/tables/note/rows/bob,1' })).status, 404)
    assert.equal((await ann.send({ path: '/v1/tables/todo/rows/2' })).status, 404)
    const csv = await ann.send({ path: '/v1/tables/todo/rows?format=csv' })
    assert.equal(csv.text.includes('bob'), false)
    const { readTimestamp } = (await ann.query('SHOW TABLES')).body
    assert.equal(
      (await ann.query('SCAN * FROM todo', { asOf: readTimestamp })).body.results[0].rows.length,
      2,
    )
  })

  test('chooses by CASE, by a cast and by what is in JSON, and is shown as it was meant', async (t) => {
    const { tokens, admin, run } = await ruledServer(t)
    await run('CREATE TABLE file (id INTEGER PRIMARY KEY, meta JSON)')
    await run('CREATE ROLE reader')
    await run(
      "GRANT READ ON file TO reader WHERE CASE meta->>'kind' WHEN 'open' THEN TRUE ELSE meta#>>'{owner,name}' = token.sub AND (meta->>'level')::INTEGER < 3 END",
    )
    await run(
      `INSERT INTO file (id, meta) VALUES (1, '{"kind":"open"}'), (2, '{"owner":{"name":"cleo"},"level":1}'),
         (3, '{"owner":{"name":"cleo"},"level":7}'), (4, '{"owner":{"name":"cleo"},"level":"x"}'),
         (5, '{"owner":{"name":"ann"},"level":1}'), (6, '[]'), (7, NULL)`,
    )
    const cleo = tokens.as(await tokens.made('CREATE TOKEN cleo ROLE reader EXPIRES IN 1 DAY'))
    const shown = async (sql: string) => (await cleo.rows(sql)).map(({ id }) => id)
    assert.deepEqual(await shown('SCAN id FROM file'), [1, 2], 'what fails of a row shows it not')
    assert.deepEqual(await shown("SCAN id FROM file USE PRIMARY KEY WHERE meta @> '{}'"), [1, 2])
    const { rows } = (await admin.query('SHOW GRANTS FOR reader')).body.results[0]
    assert.equal(
      rows[0].rule,
      "CASE meta ->> 'kind' WHEN 'open' THEN TRUE ELSE ((meta #>> '{owner,name}') = token.sub) AND ((meta ->> 'level')::INTEGER < 3) END",
    )
  })

  test('no condition of the client is computed of a hidden row', async (t) => {
    const { ann, admin } = await ruledServer(t)
    for (const sql of [
      'SCAN id, 10 / n AS q FROM todo',
      'SCAN id FROM todo USE PRIMARY KEY WHERE 10 / n >= 0',
      'SCAN id FROM todo USE INDEX byN WHERE 10 / n >= 0',
      'SCAN SUM(10 / n) AS q FROM todo',
      'SET n = 10 / n ON todo WHERE id >= 0',
      'SET n = 1 ON todo USE PRIMARY KEY WHERE 10 / n > 100',
      'DELETE FROM todo USE PRIMARY KEY WHERE 10 / n > 100',
    ]) {
      assert.equal((await ann.query(sql)).status, 200, sql)
      const all = await admin.query(sql)
      assert.equal(all.body.code, 'division_by_zero', sql)
    }
  })

  test('lets its rows be written, as they are and as they become', async (t) => {
    const { ann, admin, bob } = await ruledServer(t)
    const code = async (sql: string) => {
      const { status, body } = await ann.query(sql)
      return status === 200 ? 'ok' : body.code
    }
    assert.equal(await code("SET text = 'x' ON note WHERE org = 'ann' AND id = 1"), 'ok')
    assert.equal(await code("SET text = 'x' ON note WHERE org = 'ann' AND id = 9"), 'ok')
    for (const sql of [
      "SET text = 'x' ON note WHERE org = 'bob' AND id = 1",
      "SET text = 'x' ON note WHERE org = 'bob' AND id = 9",
      "INSERT INTO note (org, id) VALUES ('ann', 20), ('bob', 20)",
      "INSERT INTO note (org, id) VALUES ('bob', 1) ON CONFLICT DO NOTHING",
      'SET n = 1 ON todo WHERE id = 2',
      "SET owner = 'bob' ON todo WHERE id = 1",
      "SET owner = 'ann', n = 1 ON todo WHERE id = 2",
      "INSERT INTO todo (id, owner) VALUES (30, 'bob')",
      'INSERT INTO todo (id) VALUES (31)',
    ]) {
      assert.equal(await code(sql), 'rule_violated', sql)
    }
    assert.equal(await code('SET n = n + 1 ON todo WHERE id = 2'), 'row_not_found')
    assert.equal(await code('CHECK n = 0 ON todo WHERE id = 2'), 'check_failed')
    const unmet = await ann.query('SET n = 1 ON todo WHERE id = 2 IF n = 0')
    assert.equal(unmet.body.results[0].unmet, 'missing')
    const put = { method: 'PUT' as const, path: '/v1/tables/todo/rows/2', json: { owner: 'ann' } }
    assert.equal((await ann.send(put)).body.code, 'already_exists', 'that a key is taken is told')
    assert.equal(await code('DELETE FROM todo WHERE id = 2'), 'ok')
    assert.equal(
      (await ann.query('DELETE FROM note USE PRIMARY KEY')).body.results[0].rowsAffected,
      3,
    )
    assert.deepEqual(
      (await admin.rows('SCAN * FROM note')).map(({ org, text }) => [org, text]),
      [['bob', 'c']],
    )
    assert.equal((await bob.rows('GET * FROM todo WHERE id = 2')).length, 1)
  })

  test('is asked of a row that a SET writes as a whole, too', async (t) => {
    const { run, ann, admin } = await ruledServer(t)
    await run('CREATE TABLE flat (id INTEGER PRIMARY KEY, owner TEXT)')
    await run("INSERT INTO flat (id, owner) VALUES (1, 'ann'), (2, 'bob')")
    await run('GRANT READ, WRITE ON flat TO member WHERE owner = token.sub')
    const set = (id: number) => ann.query(`SET owner = 'ann' ON flat WHERE id = ${id}`)
    assert.deepEqual([(await set(1)).status, (await set(3)).status], [200, 200])
    assert.equal((await set(2)).body.code, 'rule_violated')
    assert.deepEqual(await admin.rows('GET owner FROM flat WHERE id = 2'), [{ owner: 'bob' }])
  })

  test('of READ and of WRITE are each their own: a row may be written out of sight', async (t) => {
    const { run, tokens } = await ruledServer(t)
    await run('CREATE ROLE closer')
    await run('GRANT READ ON todo TO closer WHERE n > 0')
    await run('GRANT WRITE ON todo TO closer WHERE n >= 0')
    const carl = tokens.as(await tokens.made('CREATE TOKEN carl ROLE closer EXPIRES IN 1 DAY'))
    const affected = async (sql: string) => (await carl.query(sql)).body.results[0].rowsAffected
    assert.equal(await affected('SET n = 0 ON todo WHERE id = 1 IF n = 5'), 1)
    assert.equal(await affected('SET n = 0 ON todo WHERE id = 1 IF n = 0'), 0, 'it is out of sight')
    assert.equal(await carl.refusal('SET n = 0 - n ON todo WHERE id = 3'), 'rule_violated')
  })

  test('guards nothing that it hides: a hidden row tells of itself by no conflict', async (t) => {
    const { ann, bob } = await ruledServer(t)
    for (const [sql, write] of [
      [
        "GET * FROM note WHERE org = 'bob' AND id = 1 FOR UPDATE",
        "SET text = 'y' ON note WHERE org = 'bob' AND id = 1",
      ],
      ['GET * FROM todo WHERE id = 2 FOR UPDATE', 'SET n = 1 ON todo WHERE id = 2'],
      ['SET n = 9 ON todo WHERE id = 2 IF n = 0', 'SET n = 2 ON todo WHERE id = 2'],
    ] as const) {
      const opened = await ann.send({ method: 'POST', path: '/v1/transactions', json: {} })
      const { transaction } = opened.body
      assert.equal((await ann.query(sql, { transaction })).status, 200, sql)
      await ann.query('SET n = 6 ON todo WHERE id = 1', { transaction })
      assert.equal((await bob.query(write)).status, 200)
      const path = `/v1/transactions/${transaction}/commit`
      assert.equal((await ann.send({ method: 'POST', path })).status, 200, sql)
    }
  })

  test('subscribers are told of their rows, and of rows that come and go at its edge', async (t) => {
    const { tokens, admin, run, ann, bob } = await ruledServer(t)
    const { port } = await tokens.server.listen()
    const [one, other] = [
      await openSocket(t, port, { headers: ann.headers }),
      await openSocket(t, port, { headers: bob.headers }),
    ]
    // The same text of both, and a value that fails of a row of the other.
    for (const socket of [one, other]) {
      socket.send({ type: 'subscribe', id: 's', sql: 'SCAN id FROM todo' })
      assert.equal((await socket.about('s')).type, 'subscribed')
    }
    one.send({ type: 'subscribe', id: 'q', sql: 'SCAN id, 10 / n AS q FROM todo' })
    assert.equal((await one.about('q')).type, 'subscribed')
    const seen = async (socket: typeof one) => {
      const { changes } = await socket.next(({ type, id }) => type === 'change' && id === 's')
      return changes.map(({ op, key }: { op: string; key: unknown[] }) => `${op} ${key}`)
    }
    await admin.query("INSERT INTO todo (id, owner, n) VALUES (10, 'bob', 0)")
    assert.deepEqual(await seen(other), ['insert 10'])
    await admin.query("SET owner = 'ann', n = 1 ON todo WHERE id = 10")
    assert.deepEqual(await seen(one), ['enter 10'])
    assert.deepEqual(await seen(other), ['leave 10'])
    await run('REVOKE READ ON todo FROM member')
    await run('GRANT READ ON todo TO member WHERE owner = token.sub AND n > 3')
    const last = await one.next(({ type }) => type === 'error')
    assert.ok(['not_permitted', 'resume_too_old'].includes(last.code), last.code)
  })

  test('a new rule ends what began by the old one, to begin again with a snapshot', async (t) => {
    const { tokens, run, ann } = await ruledServer(t)
    const { port } = await tokens.server.listen()
    const socket = await openSocket(t, port, { headers: ann.headers })
    const subscribe = async (id: string) => {
      socket.send({ type: 'subscribe', id, sql: 'SCAN id FROM todo', snapshot: true })
      const { rows } = await socket.next((frame) => frame.id === id && frame.type === 'rows')
      await socket.next((frame) => frame.id === id && frame.type === 'snapshotEnd')
      return rows.length
    }
    assert.equal(await subscribe('a'), 2)
    await run('GRANT READ ON todo TO member WHERE n = 0')
    const ended = await socket.next((frame) => frame.id === 'a' && frame.type === 'error')
    assert.equal(ended.code, 'resume_too_old')
    assert.equal(await subscribe('b'), 3, 'several grants of one right are alternatives')
  })

  test('a position holds for the rule and the claims that it is of, at both doors', async (t) => {
    const { tokens, admin, run, ann, bob } = await ruledServer(t)
    await run('CREATE TABLE open (id INTEGER PRIMARY KEY)')
    await run('GRANT READ ON open TO member')
    const { port } = await tokens.server.listen()
    const sql = 'SCAN id FROM todo'
    const asked = async (client: typeof ann, more: Record<string, unknown>, text = sql) => {
      const socket = await openSocket(t, port, { headers: client.headers })
      const { type, code, view, timestamp } = await socket.subscribe('s', text, more)
      const query = Object.entries({ sql: text, ...more }).map(
        ([name, value]) => `${name}=${value}`,
      )
      const path = encodeURI(`/v1/changes?${query.join('&')}`)
      const { status } = await client.send({ method: 'HEAD', path })
      assert.equal(status, type === 'error' ? 410 : 200)
      return { said: type === 'error' ? code : type, view, since: timestamp }
    }
    const { view, since } = await asked(ann, {})
    assert.match(view, /^[A-Za-z0-9_-]{16}$/)
    assert.equal((await asked(ann, { since, view })).said, 'subscribed')
    assert.equal((await asked(bob, { since, view })).said, 'resume_too_old', 'of another token')
    assert.equal((await asked(ann, { since })).said, 'resume_too_old', 'it may be of any')
    assert.equal((await asked(admin, { since, view })).said, 'resume_too_old', 'who sees more')
    const unruled = await asked(ann, {}, 'SCAN id FROM open')
    assert.equal(unruled.view, undefined)
    assert.equal((await asked(bob, { since }, 'SCAN id FROM open')).said, 'subscribed')
    await run('GRANT READ ON todo TO member WHERE n = 0')
    assert.equal((await asked(ann, { since, view })).said, 'resume_too_old', 'of another rule')
    const { view: next } = await asked(ann, {})
    assert.equal((await asked(ann, { since, view: next })).said, 'subscribed')
  })

  test('that fails of a row hides it, and is of now also for the past', async (t) => {
    const { run, admin, tokens } = await ruledServer(t)
    const { readTimestamp } = (await admin.query('SHOW TABLES')).body
    await run('CREATE ROLE other')
    await run('GRANT READ ON todo TO other WHERE 10 / n > 1')
    const client = tokens.as(await tokens.made('CREATE TOKEN carl ROLE other EXPIRES IN 1 DAY'))
    const scan = 'SCAN id FROM todo USE PRIMARY KEY'
    assert.deepEqual(await client.rows(scan), [{ id: 1 }])
    await run('REVOKE READ ON todo FROM other')
    await run('ALTER TABLE todo ADD COLUMN team TEXT')
    await run("GRANT READ ON todo TO other WHERE team = 'x'")
    assert.deepEqual(await client.rows(scan, { asOf: readTimestamp }), [])
    const { port } = await tokens.server.listen()
    const socket = await openSocket(t, port, { headers: client.headers })
    assert.equal((await socket.subscribe('s', 'SCAN id FROM todo')).type, 'subscribed')
    assert.equal((await admin.query('SET n = 0 ON todo WHERE id = 1')).status, 200)
  })

  test('tells by EXPLAIN ANALYZE nothing of the rows and entries that it hides', async (t) => {
    const { ann, run } = await ruledServer(t)
    await run('CREATE INDEX byText ON note (text)')
    const figures = async (sql: string) => {
      const [{ text, plan }] = (await ann.rows(`EXPLAIN ANALYZE ${sql}`)) as [
        { text: string; plan: { measured: Record<string, number> } },
      ]
      assert.doesNotMatch(text, /\d (row|index|cell|round)/)
      const { milliseconds: _, ...measured } = plan.measured
      return measured
    }
    for (const [sql, rowsReturned, rowsAffected] of [
      ['SCAN * FROM note USE INDEX byText', 2, 0],
      ['SCAN id FROM todo USE INDEX byN', 2, 0],
      ['GET * FROM todo WHERE id = 2', 0, 0],
      ['DELETE FROM todo WHERE id = 2', 0, 0],
    ] as const) {
      assert.deepEqual(await figures(sql), { rowsReturned, rowsAffected }, sql)
    }
  })

  test('counts no more beside a grant of all rows', async (t) => {
    const { ann, run } = await ruledServer(t)
    await run('GRANT READ ON todo TO member')
    assert.equal((await ann.rows('SCAN id FROM todo')).length, 3)
    assert.equal(await ann.refusal('SET n = 1 ON todo WHERE id = 2'), 'rule_violated')
  })

  test('that fails of a row hides nothing that another grant shows', async (t) => {
    const { run, tokens } = await ruledServer(t)
    for (const [role, ...rules] of [
      ['one', '10 / n > 1', "owner = 'bob'"],
      ['other', "owner = 'bob'", '10 / n > 1'],
    ] as const) {
      await run(`CREATE ROLE ${role}`)
      for (const rule of rules) await run(`GRANT READ ON todo TO ${role} WHERE ${rule}`)
      const made = await tokens.made(`CREATE TOKEN ${role} ROLE ${role} EXPIRES IN 1 DAY`)
      const seen = await tokens.as(made).rows('SCAN id FROM todo USE PRIMARY KEY')
      assert.deepEqual(seen, [{ id: 1 }, { id: 2 }], role)
    }
  })

  test('NOTIFY tells of its keys only, and OBSERVE needs all rows', async (t) => {
    const { run, ann, tokens } = await ruledServer(t)
    await run('CREATE WEAK OBSERVER hint ON note (text)')
    await run('CREATE WEAK OBSERVER other ON todo (n)')
    assert.equal((await ann.query("NOTIFY hint ON note WHERE org = 'ann' AND id = 1")).status, 200)
    const foreign = "NOTIFY hint ON note WHERE org = 'bob' AND id = 1"
    assert.equal(await ann.refusal(foreign), 'rule_violated')
    assert.equal(await ann.refusal('NOTIFY other ON todo WHERE id = 1'), 'not_permitted')
    await run('GRANT OBSERVE ON note TO member')
    const { port } = await tokens.server.listen()
    const socket = await openSocket(t, port, { headers: ann.headers })
    socket.send({ type: 'observe', id: 'o', observer: 'hint', workers: 1 })
    assert.equal((await socket.about('o')).code, 'not_permitted')
  })

  test('keeps what it rests on, and is refused where it could not hide', async (t) => {
    const { admin, run } = await ruledServer(t)
    const met = async (sql: string) => {
      const { code, column } = (await admin.query(sql)).body
      return `${code} ${column}`
    }
    assert.equal(await met('ALTER TABLE todo DROP COLUMN owner'), 'invalid_request 30')
    assert.equal(await met('CREATE UNIQUE INDEX u ON note (text)'), 'invalid_request 21')
    await run('CREATE UNIQUE INDEX v ON note (org, text)')
    await run('CREATE UNIQUE INDEX w ON todo (n)')
    await run('CREATE TABLE page (org TEXT, id INTEGER, url TEXT, PRIMARY KEY (org, id))')
    await run('CREATE UNIQUE INDEX x ON page (url)')
    await run('CREATE ROLE guest')
    const beside = 'GRANT READ ON page TO guest WHERE org = token.sub'
    assert.equal(await met(beside), 'invalid_request 23')
    await run('GRANT READ ON page TO guest WHERE url = token.sub')
    const grant = 'GRANT READ ON note TO member WHERE'
    assert.equal(await met(`${grant} nope = token.sub`), 'unknown_column 36')
    assert.equal(await met(`${grant} id = token.sub + 'x'`), 'type_mismatch 51')
    assert.equal(await met(`${grant} text < now()`), 'invalid_request 43')
    assert.equal(await met(`${grant} text = uuid()`), 'invalid_request 43')
    assert.equal(await met(`${grant} id = :x`), 'invalid_request 41')
    assert.equal(await met('GRANT OBSERVE ON note TO member WHERE id = 1'), 'invalid_request 7')
    assert.equal(await met('GRANT DEFINE TO member WHERE id = 1'), 'invalid_request 30')
    const nodes = Array.from({ length: 60 }, (_, n) => `id = ${n}`).join(' OR ')
    assert.equal(await met(`${grant} ${nodes} OR ${nodes}`), 'limit_exceeded 36')
    assert.equal(await met(`${grant} text${'::TEXT'.repeat(200)} = 'a'`), 'limit_exceeded 36')
    assert.equal(
      await met(`${grant} CASE WHEN text < now()::TEXT THEN TRUE END`),
      'invalid_request 53',
    )
    assert.equal(await met('SCAN * FROM note WHERE org = token.sub'), 'syntax_error 30')
    const { rows } = (await admin.query('SHOW GRANTS FOR member')).body.results[0]
    assert.deepEqual(
      rows.map(
        (each: Record<string, string>) => `${each.table} ${each.right}: ${each.rule} (${each.by})`,
      ),
      [
        'note READ: org = token.sub (key)',
        'note WRITE: org = token.sub (key)',
        'todo READ: owner = token.sub (row)',
        'todo WRITE: owner = token.sub (row)',
      ],
    )
  })
})
