// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import { openGateway } from '../../../storage/storage.ts'
import { HoldingStore } from '../../../test/access/holding-store.ts'
import { jwtServer } from '../../../test/access/jwt-server.ts'
import { ManualClock } from '../../../test/manual-clock.ts'
import { openSocket } from '../../../test/server/socket-client.ts'
import { type TokenClient, TokenServer } from '../../../test/server/token-server.ts'

describe('users of one role', () => {
  test('share the plan of a text, and each is answered by its own claims', async (t) => {
    const { issuer, tokens, admin } = await jwtServer(t)
    for (const sql of [
      'CREATE TABLE page (id INTEGER PRIMARY KEY, owner TEXT, text TEXT)',
      'GRANT READ, WRITE ON page TO member WHERE owner = token.sub',
      "INSERT INTO page (id, owner, text) VALUES (1, 'ann', 'a'), (2, 'bob', 'b')",
    ]) {
      assert.equal((await admin.query(sql)).status, 200)
    }
    const names = ['ann', 'bob'] as const
    const clients = new Map<string, TokenClient>()
    for (const name of names) clients.set(name, tokens.as(await issuer.token(name, 'member')))
    const { port } = await tokens.server.listen()
    for (const name of [...names, ...names]) {
      const client = clients.get(name) as TokenClient
      const socket = await openSocket(t, port, { headers: client.headers })
      for (const [sql, params, wanted] of [
        ['SCAN owner FROM note USE PRIMARY KEY', [], [{ owner: name }]],
        ['SCAN owner FROM page USE PRIMARY KEY', [], [{ owner: name }]],
        ['SCAN MIN(owner) AS owner FROM page USE PRIMARY KEY', [], [{ owner: name }]],
        ['GET owner FROM note WHERE owner = $1 AND id = 1', [name], [{ owner: name }]],
        ['SCAN owner FROM page USE PRIMARY KEY WHERE id IN (1, 2)', [], [{ owner: name }]],
      ] as const) {
        const more = params.length === 0 ? {} : { params }
        assert.deepEqual(await client.rows(sql, more), wanted, `${name}: ${sql}`)
        const frame = await socket.query(sql, more)
        assert.deepEqual(frame.results[0].rows, wanted, `${name}: ${sql}`)
      }
      for (const other of names) {
        const sql = 'SET text = $2 ON note WHERE owner = $1 AND id = 1'
        const { body } = await client.query(sql, { params: [other, `of ${name}`] })
        assert.equal(body.code, name === other ? undefined : 'rule_violated', `${name}: ${sql}`)
        const deleted = await client.query('DELETE FROM page WHERE id = $1', {
          params: [names.indexOf(other) + 11],
        })
        assert.equal(deleted.body.results[0].rowsAffected, 0)
      }
    }
    assert.deepEqual(await admin.rows('SCAN owner, text FROM note USE PRIMARY KEY'), [
      { owner: 'ann', text: 'of ann' },
      { owner: 'bob', text: 'of bob' },
    ])
  })
})

async function holdingServer(t: TestContext, grant: string) {
  const store = new HoldingStore(new MemoryCellStore())
  const clock = new ManualClock()
  const storage = await openGateway(store, { clock })
  const tokens = await TokenServer.start(t, { clock, deps: { storage } })
  const run = async (sql: string) => {
    const { status, text } = await tokens.query(sql)
    assert.equal(status, 200, `${sql}: ${text}`)
  }
  for (const sql of [
    'CREATE TABLE note (owner TEXT, id INTEGER, PRIMARY KEY (owner, id))',
    'CREATE TABLE other (id INTEGER PRIMARY KEY)',
    "INSERT INTO note (owner, id) VALUES ('ann', 1), ('ann', 2), ('bob', 1), ('bob', 2)",
    'CREATE ROLE app',
    'GRANT READ ON other TO app',
    grant,
  ]) {
    await run(sql)
  }
  const ann = tokens.as(await tokens.made('CREATE TOKEN ann ROLE app EXPIRES IN 1 DAY'))
  return { store, run, ann }
}

const get = (owner: string, id: number) =>
  `GET owner, id FROM note WHERE owner = '${owner}' AND id = ${id}`

describe('rows that are read ahead of their statements', () => {
  const SCRIPT = [get('ann', 1), 'SCAN * FROM other USE PRIMARY KEY', get('ann', 2)].join('; ')

  test('are not answered when the right to them goes in between', async (t) => {
    const { store, run, ann } = await holdingServer(t, 'GRANT READ ON note TO app')
    assert.equal((await ann.query(SCRIPT)).status, 200)
    const holding = store.hold('scan')
    const asked = ann.query(SCRIPT)
    await holding.held
    await run('REVOKE READ ON note FROM app')
    holding.go()
    const { body } = await asked
    assert.deepEqual([body.code, body.statement], ['unknown_table', 2])
  })

  test('are not answered when a rule hides them in between', async (t) => {
    const { store, run, ann } = await holdingServer(t, 'GRANT READ ON note TO app')
    const holding = store.hold('scan')
    const asked = ann.query(SCRIPT)
    await holding.held
    await run('REVOKE READ ON note FROM app')
    await run("GRANT READ ON note TO app WHERE owner = 'bob'")
    holding.go()
    const { results } = (await asked).body
    assert.deepEqual(
      results.map(({ rows }: { rows: unknown }) => rows),
      [[{ owner: 'ann', id: 1 }], [], []],
    )
  })

  test('are none that a rule by key hides from these claims', async (t) => {
    const { store, ann } = await holdingServer(
      t,
      'GRANT READ ON note TO app WHERE owner = token.sub',
    )
    await ann.query(get('ann', 1))
    store.keysRead.splice(0)
    const { results } = (
      await ann.query([get('ann', 1), get('bob', 1), get('ann', 2), get('bob', 2)].join('; '))
    ).body
    assert.deepEqual(
      results.map(({ rows }: { rows: readonly unknown[] }) => rows.length),
      [1, 0, 1, 0],
    )
    const read = (owner: string) => store.keysRead.filter((key) => key.includes(owner)).length
    assert.deepEqual([read('ann'), read('bob')], [2, 0])
  })
})
