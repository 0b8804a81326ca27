// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { auditedServer } from '../../../test/access/audited-server.ts'
import type { TokenClient } from '../../../test/server/token-server.ts'

/** Statements that take far longer together than this test. */
const LONG = Array.from({ length: 1_000 }, () => ({
  sql: "SCAN count(*) FROM note USE PRIMARY KEY WHERE text <> 'x'",
}))

const publicId = (token: string) => `token:${token.slice(4, 14)}`

/** Resolves to the id of a query that is at work. */
async function untilRunning(admin: TokenClient): Promise<string> {
  for (;;) {
    const { running } = (await admin.send({ path: '/v1/running' })).body
    const found = running.find((each: { operation: string }) => each.operation === 'query')
    if (found !== undefined) return found.id
  }
}

describe('the audit log tells who', () => {
  test('ended the request of another, and nothing of one that was not there', async (t) => {
    const { admin, tokens, events } = await auditedServer(t)
    await admin.rows('CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)')
    await admin.rows('CREATE ROLE app; GRANT READ ON note TO app')
    const token = await tokens.made('CREATE TOKEN app ROLE app EXPIRES IN 1 DAY')
    const json = Array.from({ length: 5_000 }, (_, id) => ({ id, text: `text ${id}` }))
    await admin.send({ method: 'POST', path: '/v1/tables/note/rows', json })
    const answer = tokens
      .as(token)
      .send({ method: 'POST', path: '/v1/query', json: { statements: LONG } })
    const id = await untilRunning(admin)
    for (const status of [204, 404]) {
      const ended = await admin.send({ method: 'DELETE', path: `/v1/running/${id}` })
      assert.equal(ended.status, status)
      if (status === 204) assert.equal((await answer).body.code, 'statement_cancelled')
    }
    const told = (await events()).filter(({ event }) => event === 'interrupted')
    assert.deepEqual(
      told.map(({ principal, operation, names }) => ({ principal, operation, names })),
      [
        {
          principal: publicId(tokens.token),
          operation: 'cancelRunning',
          names: { running: id, of: publicId(token) },
        },
      ],
    )
  })

  test('killed the owner of a commit', async (t) => {
    const flags = { commit: 'two-phase', 'step-delay': '1s' } as const
    const { admin, tokens, events } = await auditedServer(t, { flags })
    await admin.rows('CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)')
    // The clock stands still, so the commit waits after its first step until it is killed.
    const inserted = admin.query("INSERT INTO note (id, text) VALUES (1, 'a')")
    let lock: { readonly timestamp: number } | undefined
    while (lock === undefined) {
      await setImmediate()
      const { body } = await admin.send({ path: '/v1/tables/note/cells/1' })
      lock = body.lock[0]
    }
    const path = `/v1/transactions/${lock.timestamp}/kill`
    for (const status of [200, 404]) {
      assert.equal((await admin.send({ method: 'POST', path })).status, status)
    }
    await inserted
    const told = (await events()).filter(({ event }) => event === 'interrupted')
    assert.deepEqual(
      told.map(({ principal, operation, names }) => ({ principal, operation, names })),
      [
        {
          principal: publicId(tokens.token),
          operation: 'killCommit',
          names: { transaction: String(lock.timestamp) },
        },
      ],
    )
  })
})
