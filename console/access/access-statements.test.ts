// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as made from './access-statements.ts'

it('statements about tokens and roles quote what names they are given', () => {
  const token = { name: 'a b', role: 'order', days: 90 }
  const first = made.createToken(token, true)
  assert.equal(first.sql, 'CREATE TOKEN "a b" ROLE "order" EXPIRES IN 90 DAYS')
  assert.match(first.meaning, /the first one/)
  assert.doesNotMatch(made.createToken(token, false).meaning, /first/)
  assert.equal(made.rotateToken('web').sql, 'ROTATE TOKEN web KEEP 1 HOUR')
  assert.equal(made.dropToken('x"; y').sql, 'DROP TOKEN "x""; y"')
  assert.equal(made.createRole('member', true).sql, 'CREATE ROLE member FOR JWT')
  assert.equal(made.dropRole('member').sql, 'DROP ROLE member')
})

it('a right is granted on what it is of, and taken back there', () => {
  const sql = (scope: made.Scope, rule = '') =>
    made.grantOf('app', ['READ', 'WRITE'], scope, rule).sql
  assert.equal(sql({ table: 'a b' }), 'GRANT READ, WRITE ON "a b" TO app')
  assert.equal(
    sql({ table: 'note' }, ' owner = token.sub '),
    'GRANT READ, WRITE ON note TO app WHERE owner = token.sub',
  )
  assert.equal(sql({ kind: 'all tables' }, 'x = 1'), 'GRANT READ, WRITE ON ALL TABLES TO app')
  assert.equal(made.grantOf('app', ['INSPECT'], { kind: 'server' }, '').sql, 'GRANT INSPECT TO app')
  const grant = { role: 'app', right: 'READ', rule: null, by: null }
  const revoked = (scope: string, table: string | null) =>
    made.revokeOf({ ...grant, scope, table }).sql
  assert.equal(revoked('table', 'a b'), 'REVOKE READ ON "a b" FROM app')
  assert.equal(revoked('all tables', null), 'REVOKE READ ON ALL TABLES FROM app')
  assert.equal(revoked('server', null), 'REVOKE READ FROM app')
})
