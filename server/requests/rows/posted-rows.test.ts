// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { startTestServer } from '../../../test/server/test-server.ts'
import { TokenServer } from '../../../test/server/token-server.ts'

const ROWS = '/v1/tables/account/rows'
const MINIMAL = { Prefer: 'return=minimal' }

async function bank(t: TestContext) {
  const server = await startTestServer(t)
  await server.query(
    'CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL DEFAULT 0, mail TEXT)',
  )
  await server.query('CREATE UNIQUE INDEX byMail ON account (mail)')
  await server.query(
    "INSERT INTO account (id, balance, mail) VALUES ('bob', 10, 'b@x'), ('joe', 2, NULL)",
  )
  await server.indexesBuilt('account')
  const post = (json: unknown, search = '', headers: Readonly<Record<string, string>> = MINIMAL) =>
    server.send({ method: 'POST', path: ROWS + search, json, headers })
  return { server, post, all: () => server.rows('SCAN id, balance, mail FROM account') }
}

describe('rows that are posted', () => {
  test('are counted, and not answered, where return=minimal is preferred', async (t) => {
    const { post } = await bank(t)
    const posted = await post([{ id: 'eve' }, { id: 'kim', balance: 1 }])
    const { commitTimestamp } = posted.body
    assert.equal(posted.status, 201)
    assert.deepEqual(posted.body, { rowsAffected: 2, skipped: 0, commitTimestamp })
    assert.equal(posted.headers['preference-applied'], 'return=minimal')
    assert.equal(posted.headers['percolite-commit-timestamp'], String(commitTimestamp))
    const one = await post({ id: 'zoe' })
    assert.deepEqual([one.body.rowsAffected, one.headers.location], [1, `${ROWS}/zoe`])
    assert.equal(one.headers.etag, undefined)
  })

  test('are answered for every other preference; the first one counts', async (t) => {
    const { post } = await bank(t)
    const kinds = [
      ['return=representation', false],
      ['return=representation, return=minimal', false],
      ['wait=10, RETURN="minimal"; x=1', true],
      ['respond-async', false],
      ['return=minimalist', false],
    ] as const
    for (const [index, [prefer, isMinimal]] of kinds.entries()) {
      const { body, headers } = await post([{ id: `n${index}` }], '', { Prefer: prefer })
      assert.equal(body.rowsAffected !== undefined, isMinimal, prefer)
      assert.equal(headers['preference-applied'] !== undefined, isMinimal, prefer)
    }
  })

  test('have the answer that was kept for their key, whatever is preferred later', async (t) => {
    const { post } = await bank(t)
    for (const [index, [before, after]] of [
      [MINIMAL, {}],
      [{}, MINIMAL],
    ].entries()) {
      const key = { 'Idempotency-Key': `k${index}` }
      const first = await post([{ id: `n${index}` }], '', { ...key, ...before })
      const again = await post([{ id: `n${index}` }], '', { ...key, ...after })
      assert.deepEqual([again.status, again.body], [first.status, first.body])
      assert.equal(again.headers['idempotent-replayed'], 'true')
      const applied = before === MINIMAL ? 'return=minimal' : undefined
      assert.equal(again.headers['preference-applied'], applied)
    }
  })

  test('a preference is ignored by operations that know none', async (t) => {
    const { server } = await bank(t)
    const { status } = await server.send({ path: `${ROWS}/bob`, headers: MINIMAL })
    assert.equal(status, 200)
  })

  test('put replaces the rows that are there, with the defaults of what is left out', async (t) => {
    const { post, all } = await bank(t)
    const { body } = await post(
      [
        { id: 'bob', mail: 'b@x' },
        { id: 'eve', mail: 'e@x' },
      ],
      '?mode=put',
    )
    assert.deepEqual([body.rowsAffected, body.skipped], [2, 0])
    assert.deepEqual(await all(), [
      { id: 'bob', balance: 0, mail: 'b@x' },
      { id: 'eve', balance: 0, mail: 'e@x' },
      { id: 'joe', balance: 2, mail: null },
    ])
    const shown = await post([{ id: 'joe' }], '?mode=put', {})
    assert.deepEqual([shown.status, shown.body], [201, [{ id: 'joe', balance: 0, mail: null }]])
  })

  test('skip leaves the rows as they are that are there, by their key or in a UNIQUE index', async (t) => {
    const { post, all } = await bank(t)
    const before = await all()
    const none = await post([{ id: 'bob', balance: 1 }], '?mode=skip')
    assert.deepEqual(none.body, { rowsAffected: 0, skipped: 1, commitTimestamp: null })
    const shown = await post([{ id: 'bob', balance: 1 }], '?mode=skip', {})
    assert.deepEqual([shown.status, shown.body], [201, []])
    const some = await post(
      [{ id: 'joe', mail: 'j@x' }, { id: 'ann', mail: 'b@x' }, { id: 'eve' }, { id: 'eve' }],
      '?mode=skip',
    )
    assert.deepEqual([some.body.rowsAffected, some.body.skipped], [1, 3])
    const twice = [
      { id: 'kim', mail: 'k@x' },
      { id: 'zoe', mail: 'k@x' },
    ]
    const { body } = await post(twice, '?mode=skip')
    assert.deepEqual([body.rowsAffected, body.skipped], [1, 1])
    assert.deepEqual(
      await all(),
      [
        ...before,
        { id: 'eve', balance: 0, mail: null },
        { id: 'kim', balance: 0, mail: 'k@x' },
      ].sort((a, b) => (a.id < b.id ? -1 : 1)),
    )
  })

  test('are all or none, and the row is named that was refused', async (t) => {
    const { post, all } = await bank(t)
    const before = await all()
    for (const [search, rows, code, row] of [
      ['', [{ id: 'eve' }, { id: 'bob' }], 'already_exists', 1],
      ['?mode=put', [{ id: 'eve' }, { id: 'joe', mail: 'b@x' }], 'unique_violation', 1],
      ['?mode=put', [{ id: 'joe' }, { id: 'joe' }], 'already_exists', 1],
      ['?mode=put', [{ id: 'bob' }, { id: 'joe', balance: null }], 'not_null_violation', 1],
      ['?mode=put', [{ id: null }], 'not_null_violation', 0],
      ['?mode=put', [{ id: 'bob' }, { mail: 'x' }], 'invalid_request', undefined],
      ['?mode=skip', [{ id: 'eve' }, { id: 'kim', balance: 'x' }], 'type_mismatch', 1],
      ['?mode=merge', [{ id: 'eve' }], 'invalid_request', undefined],
    ] as const) {
      const { body } = await post(rows, search)
      assert.deepEqual([body.code, body.row], [code, row], `${search} ${JSON.stringify(rows)}`)
    }
    const { body } = await post({ id: 'bob' }, '?mode=put')
    assert.deepEqual([body.code, body.parameter], ['invalid_request', 'mode'])
    assert.deepEqual(await all(), before)
  })

  test('are refused where a key comes twice to be put, however far apart, and whatever its columns', async (t) => {
    const { post, all } = await bank(t)
    const before = await all()
    const many = Array.from({ length: 1_200 }, (_, n) => ({ id: `n${n}` }))
    for (const [rows, row] of [
      [[{ id: 'bob' }, { id: 'bob', balance: 3 }], 1],
      [[...many, { id: 'n3' }], 1_200],
    ] as const) {
      const { body } = await post(rows, '?mode=put')
      assert.deepEqual([body.code, body.row], ['already_exists', row])
    }
    assert.deepEqual(await all(), before)
  })

  test('have composite keys that are put by all of their columns', async (t) => {
    const { server } = await bank(t)
    await server.query(
      'CREATE TABLE trade (stock TEXT, at INTEGER, n INTEGER, PRIMARY KEY (stock, at DESC))',
    )
    const rows = (n: number) =>
      Array.from({ length: 1_100 }, (_, at) => ({ n, at, stock: `s${at % 3}` }))
    const path = '/v1/tables/trade/rows?mode=put'
    for (const n of [1, 2]) {
      const { body } = await server.send({ method: 'POST', path, json: rows(n), headers: MINIMAL })
      assert.equal(body.rowsAffected, 1_100)
    }
    assert.deepEqual(
      await server.rows('SCAN COUNT(*) AS c, SUM(n) AS s FROM trade USE PRIMARY KEY'),
      [{ c: 1_100, s: 2_200 }],
    )
  })

  test('of 1.5 kB each fit their Idempotency-Key by the thousand, and are written once', async (t) => {
    const { server, post } = await bank(t)
    const rows = Array.from({ length: 1_000 }, (_, n) => ({
      id: `n${n}`,
      mail: `${n}`.padStart(1_500, 'x'),
    }))
    const key = { 'Idempotency-Key': 'import-1' }
    const whole = await post(rows, '', key)
    assert.deepEqual(
      [whole.body.code, whole.body.limit],
      ['limit_exceeded', 'idempotentAnswerBytesMax'],
    )
    const first = await post(rows, '', { ...key, ...MINIMAL })
    assert.equal(first.body.rowsAffected, 1_000)
    const again = await post(rows, '', { ...key, ...MINIMAL })
    assert.deepEqual(again.body, first.body)
    assert.equal(again.headers['idempotent-replayed'], 'true')
    const counted = await server.rows('SCAN COUNT(*) AS n FROM account USE PRIMARY KEY')
    assert.deepEqual(counted, [{ n: 1_002 }])
  })
})

describe('rows that are posted by a role with a rule', () => {
  test('are those of the rule, in each mode, and no hidden row is replaced', async (t) => {
    const tokens = await TokenServer.start(t)
    const admin = tokens.as(tokens.token)
    for (const sql of [
      'CREATE TABLE todo (id INTEGER PRIMARY KEY, owner TEXT, n INTEGER)',
      'CREATE ROLE member',
      'GRANT READ, WRITE ON todo TO member WHERE owner = token.sub',
      'CREATE ROLE reader',
      'GRANT READ ON todo TO reader',
      "INSERT INTO todo (id, owner, n) VALUES (1, 'ann', 5), (2, 'bob', 0)",
    ]) {
      assert.equal((await admin.query(sql)).status, 200, sql)
    }
    const ann = tokens.as(await tokens.made('CREATE TOKEN ann ROLE member EXPIRES IN 1 DAY'))
    const rob = tokens.as(await tokens.made('CREATE TOKEN rob ROLE reader EXPIRES IN 1 DAY'))
    const code = async (who: typeof ann, mode: string, json: readonly object[]) => {
      const path = `/v1/tables/todo/rows?mode=${mode}`
      const { status, body } = await who.send({ method: 'POST', path, json })
      return status === 201 ? 'ok' : body.code
    }
    const others = [
      { id: 3, owner: 'ann' },
      { id: 4, owner: 'bob' },
    ]
    for (const mode of ['insert', 'put', 'skip']) {
      assert.equal(await code(ann, mode, others), 'rule_violated', mode)
      assert.equal(await code(rob, mode, [{ id: 9, owner: 'rob' }]), 'not_permitted', mode)
    }
    assert.equal(await code(ann, 'put', [{ id: 2, owner: 'ann' }]), 'already_exists')
    assert.equal(await code(ann, 'put', [{ id: 1, owner: 'ann', n: 6 }]), 'ok')
    assert.equal(
      await code(ann, 'skip', [
        { id: 2, owner: 'ann' },
        { id: 5, owner: 'ann' },
      ]),
      'ok',
    )
    assert.deepEqual(await admin.rows('SCAN * FROM todo'), [
      { id: 1, owner: 'ann', n: 6 },
      { id: 2, owner: 'bob', n: 0 },
      { id: 5, owner: 'ann', n: null },
    ])
  })
})
