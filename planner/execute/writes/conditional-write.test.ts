// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { afterEach, beforeEach } from 'node:test'
import { StorageError } from '../../../storage/storage.ts'
import { planError, rowsToJson, SqlSession } from '../../../test/sql-session.ts'
import { PlanError } from '../../plan-error.ts'

let session: SqlSession
beforeEach(async () => {
  session = await SqlSession.open(
    `CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER, mail TEXT, note TEXT DEFAULT uuid(),
       FAMILY notes (note))`,
    'CREATE UNIQUE INDEX byMail ON account (mail)',
    "INSERT INTO account (id, balance, mail, note) VALUES ('bob', 10, 'b@x', 'n'), ('joe', 2, NULL, 'n')",
  )
})
afterEach(() => session.close())

const outcome = async (text: string) => {
  const result = await session.run(text)
  return [result.rowsAffected, result.unmet, rowsToJson(result)]
}

test('an IF that is not met writes nothing and says why', async () => {
  const set = (id: string, clause: string) =>
    outcome(`SET balance = 3 ON account WHERE id = '${id}' ${clause} RETURNING balance`)
  const written = [1, undefined, [{ balance: 3 }]]
  assert.deepEqual(await set('ann', 'IF EXISTS'), [0, 'missing', []])
  assert.deepEqual(await set('ann', 'IF balance > 1'), [0, 'missing', []])
  assert.deepEqual(await set('ann', 'IF coalesce(balance, 0) > 1'), [0, 'condition', []])
  assert.deepEqual(await set('bob', 'IF NOT EXISTS'), [0, 'exists', []])
  assert.deepEqual(await set('bob', 'IF balance > 10'), [0, 'condition', []])
  assert.deepEqual(await set('bob', 'IF balance > NULL'), [0, 'condition', []])
  assert.equal((await session.run('SCAN * FROM account')).rows.length, 2)
  assert.deepEqual(await set('bob', 'IF balance > 9'), written)
  assert.deepEqual(await set('joe', 'IF EXISTS'), written)
  assert.deepEqual(await set('ann', 'IF coalesce(balance, 0) = 0'), written)
  assert.deepEqual(await set('sue', 'IF NOT EXISTS'), written)
})

test('SET … IF condition and CHECK guard the row in every family, whether it is there or not', async () => {
  const guards = [
    "SET balance = 1 ON account WHERE id = 'bob' IF balance > 99",
    "SET balance = 1 ON account WHERE id = 'nobody' IF balance > 99",
    "CHECK balance >= 0 ON account WHERE id = 'bob'",
    "CHECK coalesce(balance, 0) >= 0 ON account WHERE id = 'nobody'",
  ]
  for (const guard of guards) {
    const transaction = await session.storage.begin()
    const catalog = await session.storage.catalog(transaction)
    const run = (text: string) => session.runIn(transaction, catalog, text)
    await run(guard)
    await run("SET balance = 5 ON account WHERE id = 'other'")
    const id = guard.includes('bob') ? 'bob' : 'nobody'
    await session.run(`SET note = 'changed' ON account WHERE id = '${id}'`)
    await assert.rejects(
      transaction.commit(),
      (error) => error instanceof StorageError && error.code === 'write_conflict',
      guard,
    )
    await session.run("DELETE FROM account WHERE id IN ('nobody', 'other')")
  }
})

test('a CHECK that is not TRUE fails with the key', async () => {
  const failing = [
    "CHECK balance >= 11 ON account WHERE id = 'bob'",
    "CHECK mail = 'b@x' ON account WHERE id = 'joe'",
    "CHECK balance >= 0 ON account WHERE id = 'nobody'",
    "CHECK coalesce(balance, 0) > 0 ON account WHERE id = 'nobody'",
  ]
  for (const text of failing) {
    await assert.rejects(session.run(text), planError('check_failed'), text)
  }
  await assert.rejects(session.run(failing[0] as string), (error: PlanError) => {
    assert.deepEqual(error.fields, { table: 'account', key: ['bob'] })
    return true
  })
  const missing = session.run(failing[2] as string)
  await assert.rejects(missing, {
    message: 'The CHECK needs the row ["nobody"], and account has none.',
  })
  const passing = await session.run(
    "CHECK balance = 10 AND mail = 'b@x' ON account WHERE id = 'bob'",
  )
  assert.deepEqual(passing, { columns: [], rows: [], rowsAffected: 0 })
  const scan = "CHECK balance = 1 ON account WHERE id > 'a'"
  await assert.rejects(session.run(scan), planError('invalid_request'))
})

test('RETURNING answers rows after a SET and an INSERT, and before a DELETE', async () => {
  assert.deepEqual(
    await outcome(
      "SET balance = balance + 1 ON account WHERE id = 'bob' RETURNING id, balance * 2 AS b",
    ),
    [1, undefined, [{ id: 'bob', b: 22 }]],
  )
  assert.deepEqual(
    await outcome("INSERT INTO account (id) VALUES ('x'), ('y') RETURNING id, note"),
    [
      2,
      undefined,
      [
        { id: 'x', note: 'uuid-1' },
        { id: 'y', note: 'uuid-2' },
      ],
    ],
  )
  assert.deepEqual(
    await outcome("DELETE FROM account WHERE id >= 'bob' LIMIT 2 RETURNING id, note"),
    [
      2,
      undefined,
      [
        { id: 'bob', note: 'n' },
        { id: 'joe', note: 'n' },
      ],
    ],
  )
})

test('ON CONFLICT DO NOTHING leaves out duplicates of any key, decided row by row', async () => {
  const text = `INSERT INTO account (id, mail) VALUES ('bob', 'new'), ('p', 'b@x'), ('q', 'q@x'),
    ('r', 'q@x'), ('p', 'p@x'), ('s', 'p@x'), ('t', NULL), ('u', NULL) ON CONFLICT DO NOTHING RETURNING id`
  const [rowsAffected, , rows] = await outcome(text)
  assert.deepEqual([rowsAffected, rows], [4, ['q', 'p', 't', 'u'].map((id) => ({ id }))])
  await assert.rejects(
    session.run("INSERT INTO account (id, mail) VALUES ('v', 'v@x'), ('w', 'v@x')"),
    (error) => error instanceof PlanError && error.code === 'unique_violation',
  )
  assert.deepEqual(await session.rows("GET * FROM account WHERE id = 'v'"), [])
})

test('a SET keeps a unique index, and frees the value that it leaves', async () => {
  const set = (id: string, mail: string) =>
    session.run(`SET mail = '${mail}' ON account WHERE id = '${id}'`)
  await assert.rejects(set('joe', 'b@x'), { code: 'unique_violation' })
  await set('bob', 'bob@x')
  await set('joe', 'b@x')
  assert.deepEqual(await session.rows("GET id FROM account WHERE mail IN ('b@x', 'bob@x')"), [
    { id: 'joe' },
    { id: 'bob' },
  ])
})

test('DELETE finds rows by an index, also by one that covers', async () => {
  await session.run("SET mail = 'j@x' ON account WHERE id = 'joe'")
  const { rows } = await session.run("EXPLAIN DELETE FROM account WHERE mail = 'j@x'")
  assert.match(rows[0]?.[0] as string, /covering: yes/)
  assert.equal((await session.run("DELETE FROM account WHERE mail = 'j@x'")).rowsAffected, 1)
  assert.deepEqual(await session.rows('SCAN id FROM account'), [{ id: 'bob' }])
})

test('GET tells when its rows were committed, of whatever family', async () => {
  const transaction = await session.storage.begin()
  const catalog = await session.storage.catalog(transaction)
  const get = async () => {
    const text = "GET id FROM account WHERE id IN ('bob', 'nobody', 'joe')"
    return (await session.runIn(transaction, catalog, text, { rowTimestamps: true })).rowTimestamps
  }
  const [bob, joe] = (await get()) ?? []
  assert.ok(typeof bob === 'number' && bob === joe && bob < transaction.startTs)
  await session.runIn(transaction, catalog, "SET note = 'x' ON account WHERE id = 'bob'")
  assert.deepEqual(await get(), [null, joe])
  transaction.rollback()
})
