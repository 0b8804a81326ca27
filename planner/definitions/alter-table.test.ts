// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { planError, SqlSession } from '../../test/sql-session.ts'

let session: SqlSession
beforeEach(async () => {
  session = await SqlSession.open(
    'CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER NOT NULL DEFAULT 1, b TEXT UNIQUE, far TEXT, FAMILY f (far))',
    "INSERT INTO t (id, b) VALUES (1, 'x')",
  )
})
afterEach(() => session.close())

const shown = async (name: string) =>
  (await session.run(`SHOW CREATE TABLE ${name}`)).rows.map(([text]) => text)

describe('ALTER COLUMN', () => {
  test('sets and drops the default of new rows, and leaves old ones as they are', async () => {
    await session.run('ALTER TABLE t ADD COLUMN late INTEGER DEFAULT 5')
    await session.run('ALTER TABLE t ALTER COLUMN a SET DEFAULT -2')
    await session.run('ALTER TABLE t ALTER COLUMN late DROP DEFAULT')
    await session.run('INSERT INTO t (id) VALUES (2)')
    assert.deepEqual(await session.rows('SCAN id, a, late FROM t USE PRIMARY KEY'), [
      { id: 1, a: 1, late: 5 },
      { id: 2, a: -2, late: null },
    ])
    await session.run('ALTER TABLE t ALTER COLUMN a DROP DEFAULT')
    await assert.rejects(
      session.run('INSERT INTO t (id) VALUES (3)'),
      planError('not_null_violation'),
    )
  })

  test('lets a column be NULL', async () => {
    await session.run('ALTER TABLE t ALTER COLUMN a DROP NOT NULL')
    await session.run('SET a = NULL ON t WHERE id = 1')
    assert.deepEqual(await session.rows('GET a FROM t WHERE id = 1'), [{ a: null }])
  })

  test('refuses a default that does not fit, and NULL in a key', async () => {
    for (const change of ["a SET DEFAULT 'x'", 'a SET DEFAULT NULL', 'b SET DEFAULT now()']) {
      await assert.rejects(session.run(`ALTER TABLE t ALTER COLUMN ${change}`), /./, change)
    }
    const key = 'ALTER TABLE t ALTER COLUMN id DROP NOT NULL'
    await assert.rejects(session.run(key), planError('invalid_request'))
    const missing = 'ALTER TABLE t ALTER COLUMN c DROP DEFAULT'
    await assert.rejects(session.run(missing), planError('unknown_column'))
  })
})

describe('RENAME', () => {
  test('of a table takes its rows, indexes and observers along, and frees the name', async () => {
    await session.run('CREATE OBSERVER o ON t (a)')
    await session.run('ALTER TABLE t RENAME TO u')
    assert.deepEqual(await session.rows("GET id, a FROM u WHERE b = 'x'"), [{ id: 1, a: 1 }])
    await assert.rejects(session.run('GET * FROM t WHERE id = 1'), planError('unknown_table'))
    assert.match(String((await shown('u'))[2]), /^CREATE OBSERVER o ON u/)
    await session.run('CREATE TABLE t (id INTEGER PRIMARY KEY)')
    assert.deepEqual(await session.rows('SCAN * FROM t USE PRIMARY KEY'), [])
    await assert.rejects(session.run('ALTER TABLE t RENAME TO U'), planError('already_exists'))
    await session.run('ALTER TABLE u RENAME TO U')
    assert.equal((await session.run('ALTER TABLE U RENAME TO U')).rowsAffected, 0)
    assert.deepEqual(await session.rows('GET a FROM U WHERE id = 1'), [{ a: 1 }])
    await assert.rejects(session.run('ALTER TABLE U RENAME TO ".."'), planError('invalid_request'))
  })

  test('of a column takes keys, indexes and families along', async () => {
    for (const [from, to] of [
      ['id', 'no'],
      ['b', 'c'],
      ['far', 'away'],
    ]) {
      await session.run(`ALTER TABLE t RENAME COLUMN ${from} TO ${to}`)
    }
    assert.deepEqual(await session.rows("GET * FROM t WHERE c = 'x'"), [
      { no: 1, a: 1, c: 'x', away: null },
    ])
    const [table, index] = await shown('t')
    assert.match(String(table), /PRIMARY KEY \(no\),\n {2}FAMILY f \(away\)/)
    assert.equal(index, 'CREATE UNIQUE INDEX t_b_key ON t (c)')
    const taken = session.run('ALTER TABLE t RENAME COLUMN a TO C')
    await assert.rejects(taken, planError('invalid_request'))
  })

  test('of a column that a CHECK or a rule names is refused, which would name another one', async () => {
    await session.run('CREATE TABLE c (id INTEGER PRIMARY KEY, n INTEGER CHECK (n > 0), m INTEGER)')
    const renamed = session.run('ALTER TABLE c RENAME COLUMN n TO k')
    await assert.rejects(renamed, planError('invalid_request'))
    const same = await session.run('ALTER TABLE c RENAME COLUMN n TO n')
    assert.equal(same.rowsAffected, 0)
    await session.run('ALTER TABLE c DROP CONSTRAINT c_n_check')
    await session.run('ALTER TABLE c RENAME COLUMN n TO k')
  })
})
