// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { jwtServer } from '../test/access/jwt-server.ts'
import { given } from '../test/client-sdk/scripted-socket.ts'
import { startTestServer } from '../test/server/test-server.ts'
import { connect } from './client.ts'

// What comes back by itself when keys are rotated, tokens have other claims, or none can be had for a while.

const NOTES = 'SCAN owner, id FROM note USE PRIMARY KEY'
const ROUNDS = 4
type Note = { readonly owner: string; readonly id: number }

/** A server with an issuer, and a token function of whoever's turn it is. */
async function rotatingScene(t: TestContext, subjects: readonly string[]) {
  const { tokens, ...rest } = await jwtServer(t)
  const { url } = await tokens.server.listen()
  const counts = { tokens: 0, rejected: 0, reconnects: 0, requests: 0, rows: 0 }
  const owner = () => subjects[scene.round % subjects.length] as string
  const token = async () => {
    counts.tokens += 1
    if (scene.isAway) {
      scene.isAway = false
      counts.rejected += 1
      throw new Error('the issuer is away')
    }
    const claims = { plan: scene.round, uti: String(counts.tokens) }
    return await rest.issuer.token(owner(), 'member', claims)
  }
  const scene = { ...rest, url, counts, owner, token, round: 0, isAway: false }
  return scene
}

for (const [what, subjects] of [
  ['the same user and other claims that no rule names', ['ann']],
  ['another user each time', ['ann', 'bob']],
] as const) {
  for (const away of ['answers', 'rejects at first'] as const) {
    test(`keys are rotated under live rows, and the token function ${away}: ${what}`, async (t) => {
      const scene = await rotatingScene(t, subjects)
      const { issuer, admin, server, counts, url, token, owner } = scene
      const db = connect({ url, token })
      t.after(() => db.close())
      const onReconnect = () => {
        counts.reconnects += 1
      }
      const live = db.live<Note>(NOTES, [], { onReconnect })
      const check = (rows: readonly Note[]) => {
        counts.rows += rows.length
        assert.deepEqual([...new Set(rows.map((row) => row.owner))], [owner()])
      }
      check(await given(live.next()))
      for (let round = 1; round <= ROUNDS; round += 1) {
        scene.round = round
        await issuer.rotate()
        scene.isAway = away !== 'answers'
        server.reloadFiles()
        for (const one of ['ann', 'bob']) {
          const id = 1 + round
          const wrote = await admin.query(`INSERT INTO note (owner, id) VALUES ('${one}', ${id})`)
          assert.equal(wrote.status, 200, wrote.text)
        }
        for (let rows: readonly Note[] = []; rows.length < 1 + round; check(rows)) {
          rows = await given(live.next())
        }
        check((await db.query<Note>(NOTES)).rows)
        counts.requests += 1
      }
      t.diagnostic(JSON.stringify(counts))
      assert.ok(counts.reconnects >= ROUNDS)
      assert.equal(counts.rejected, away === 'answers' ? 0 : ROUNDS)
      assert.equal(counts.tokens, 1 + ROUNDS + counts.rejected)
    })
  }
}

test('a token function that hangs heeds the time and the signal of each call, and is asked again', async (t) => {
  const { issuer, url, counts } = await rotatingScene(t, ['ann'])
  const token = async () => {
    counts.tokens += 1
    return counts.tokens < 3 ? await new Promise<string>(() => undefined) : issuer.token('ann')
  }
  const db = connect({ url, token })
  t.after(() => db.close())
  await assert.rejects(db.query(NOTES, [], { timeoutMs: 50 }), { code: 'request_timed_out' })
  await assert.rejects(db.query(NOTES, [], { signal: AbortSignal.timeout(50) }), {
    name: 'TimeoutError',
  })
  assert.deepEqual((await db.query<Note>(NOTES)).rows, [{ owner: 'ann', id: 1 }])
  t.diagnostic(JSON.stringify(counts))
  assert.equal(counts.tokens, 3)
})

test('live rows begun together meet a server with a low rate, and all of them come', async (t) => {
  const server = await startTestServer(t, { flags: { rate: '5' } })
  const { url } = await server.listen()
  assert.equal((await server.query('CREATE TABLE n (id INTEGER PRIMARY KEY)')).status, 200)
  assert.equal((await server.query('INSERT INTO n (id) VALUES (1)')).status, 200)
  const db = connect({ url })
  t.after(() => db.close())
  let waits = 0
  const onReconnect = () => {
    waits += 1
  }
  const all = Array.from({ length: 20 }, () => db.live('SCAN id FROM n', [], { onReconnect }))
  for (const rows of await Promise.all(all.map((live) => given(live.next())))) {
    assert.deepEqual(rows, [{ id: 1 }])
  }
  t.diagnostic(`${all.length} begun together, ${waits} waits`)
  assert.ok(waits > 0)
})
