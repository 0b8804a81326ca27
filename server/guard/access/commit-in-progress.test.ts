// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import { openGateway } from '../../../storage/storage.ts'
import { type HeldCall, HoldingStore } from '../../../test/access/holding-store.ts'
import { JwtIssuer } from '../../../test/access/jwt-issuer.ts'
import { ManualClock } from '../../../test/manual-clock.ts'
import { openSocket } from '../../../test/server/socket-client.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { TokenClient, TokenServer } from '../../../test/server/token-server.ts'

// The store holds the first write of a commit, or the first read before it, while a token, a right or a subject is
// taken away.

async function heldServer(t: TestContext) {
  const store = new HoldingStore(new MemoryCellStore())
  const clock = new ManualClock()
  const issuer = await JwtIssuer.create(t, () => clock.wallMicros() / 1_000)
  const gateway = async () => ({ storage: await openGateway(store, { clock }), clock })
  const first = await TokenServer.start(t, { clock, deps: await gateway() })
  const server = await startTestServer(t, { flags: issuer.flags, deps: await gateway() })
  const admin = new TokenClient(server, first.token)
  const run = (sql: string) => admin.run(sql)
  for (const sql of [
    'CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)',
    'CREATE ROLE app',
    'CREATE ROLE member FOR JWT',
    'GRANT READ, WRITE ON note TO app',
    'GRANT READ, WRITE ON note TO member',
  ]) {
    await run(sql)
  }
  const made = await admin.query('CREATE TOKEN web ROLE app EXPIRES IN 1 DAY')
  const { port } = await server.listen()
  const app = new TokenClient(server, made.body.results[0].rows[0].token)
  const ann = new TokenClient(server, await issuer.token('ann', 'member'))
  return { store, clock, port, run, admin, app, ann }
}

type Held = Awaited<ReturnType<typeof heldServer>>

const INSERT = "INSERT INTO note (id, text) VALUES (1, 'a')"

/** Gets ready to commit a row, which then resolves to `committed`, or to the code of an error. */
type Way = (held: Held, client: TokenClient, t: TestContext) => Promise<() => Promise<string>>

const WAYS: ReadonlyArray<readonly [of: string, way: Way]> = [
  ['a query', async (_, client) => async () => outcome((await client.query(INSERT)).body)],
  [
    'a row',
    async (_, client) => async () => {
      const path = '/v1/tables/note/rows/1'
      return outcome((await client.send({ method: 'PUT', path, json: { text: 'a' } })).body)
    },
  ],
  [
    'a transaction of several requests',
    async (_, client) => {
      const path = '/v1/transactions'
      const { body } = await client.send({ method: 'POST', path, json: {} })
      const { transaction } = body
      assert.equal((await client.query(INSERT, { transaction })).status, 200)
      const commit = { method: 'POST', path: `${path}/${transaction}/commit` } as const
      return async () => outcome((await client.send(commit)).body)
    },
  ],
  [
    'a frame of a socket',
    async ({ port }, { headers }, t) => {
      const socket = await openSocket(t, port, { headers })
      return async () =>
        await Promise.race([
          socket.query(INSERT).then(outcome, () => 'closed'),
          socket.closed().then(({ code }) => `closed ${code}`),
        ])
    },
  ],
]

function outcome(body: { readonly code?: string }): string {
  return body?.code ?? 'committed'
}

/**
 * What the client is told, and whether the row is there, when this comes while the next such call of the store waits.
 * Nothing that begins after it is answered.
 */
async function takenAway(
  t: TestContext,
  { name, sql, way, call }: { name: 'app' | 'ann'; sql: string; way: Way; call: HeldCall },
): Promise<{ readonly told: string; readonly isThere: boolean }> {
  const held = await heldServer(t)
  const client = held[name]
  const commit = await way(held, client, t)
  const holding = held.store.hold(call)
  let told: string | undefined
  const committing = commit().then((code) => {
    told = code
  })
  await holding.held
  await held.run(sql)
  const after = await client.refusal(INSERT.replace('1', '2'))
  assert.equal(after, sql.startsWith('REVOKE') ? 'unknown_table' : 'unauthenticated')
  holding.go()
  while (told === undefined) {
    // What meets a change of the table is tried again after a pause.
    await held.clock.advance(100)
    await setImmediate()
  }
  await committing
  const rows = await held.admin.rows('SCAN id FROM note USE PRIMARY KEY')
  return { told, isThere: rows.length > 0 }
}

const TAKEN = [
  ['app', 'DROP TOKEN web'],
  ['ann', "CREATE BLOCK SUBJECT 'ann'"],
] as const
const REVOKE = { name: 'app', sql: 'REVOKE ALL ON note FROM app' } as const
const isSocket = (of: string) => of === 'a frame of a socket'

describe('a commit in progress', () => {
  for (const [name, sql] of TAKEN) {
    for (const [of, way] of WAYS) {
      test(`of ${of} is finished when ${sql} comes`, async (t) => {
        const { told, isThere } = await takenAway(t, { name, sql, way, call: 'write' })
        assert.ok(isThere)
        assert.equal(told, isSocket(of) ? 'closed 4401' : 'committed')
      })
    }
  }

  for (const [of, way] of WAYS) {
    test(`of ${of} is refused when the right to the table is gone before its rows are locked`, async (t) => {
      const { told, isThere } = await takenAway(t, { ...REVOKE, way, call: 'write' })
      assert.equal(isThere, false)
      const code = of.startsWith('a transaction') ? 'schema_changed' : 'unknown_table'
      assert.equal(told, isSocket(of) ? 'closed 4401' : code)
    })
  }
})

describe('a request that has not come to its commit', () => {
  for (const [name, sql] of [...TAKEN, [REVOKE.name, REVOKE.sql] as const]) {
    for (const [of, way] of WAYS) {
      if (of.startsWith('a transaction')) continue
      test(`commits nothing when ${sql} comes: ${of}`, async (t) => {
        const { told, isThere } = await takenAway(t, { name, sql, way, call: 'read' })
        assert.equal(isThere, false)
        const code = sql === REVOKE.sql ? 'unknown_table' : 'unauthenticated'
        assert.equal(told, isSocket(of) ? 'closed 4401' : code)
      })
    }
  }
})
