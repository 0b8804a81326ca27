// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTestServer, type TestServer } from '../../../test/server/test-server.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { SERVER_LIMITS } from '../../limits.ts'

const { followersMax, followBytesMax } = SERVER_LIMITS
const TEXT = 'x'.repeat(60_000)

type Position = { readonly stream: string; readonly number: number }

async function primary(t: TestContext): Promise<TestServer> {
  const data = await testFolder(t, 'followers')
  const server = await startTestServer(t, { flags: { engine: 'sqlite', data } })
  await server.query('CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)')
  assert.equal((await server.post('/v1/replication/copy')).status, 200)
  return server
}

async function positionOf(server: TestServer): Promise<Position> {
  return (await server.get('/v1/replication')).body.position
}

async function insert(server: TestServer, from: number, count: number): Promise<void> {
  for (let id = from; id < from + count; id += 1) {
    await server.rows('INSERT INTO note (id, text) VALUES ($1, $2)', { params: [id, TEXT] })
  }
}

function ask(server: TestServer, order: object) {
  return server.post('/v1/replication/groups', order)
}

test('a standby that lies about where it is, or asks for what never was, is refused', async (t) => {
  const server = await primary(t)
  const position = await positionOf(server)
  await insert(server, 1, 3)
  const last = await positionOf(server)
  for (const order of [
    { ...last, number: last.number + 1 },
    { ...last, number: Number.MAX_SAFE_INTEGER },
    { stream: 'f'.repeat(32), number: last.number },
    // Of another run than the number.
    { ...position, number: last.number },
  ]) {
    const { status, body } = await ask(server, order)
    assert.deepEqual([status, body.code], [410, 'replication_position_lost'], JSON.stringify(order))
  }
  for (const order of [{}, { ...last, number: -1 }, { ...last, number: 1.5 }, { ...last, x: 1 }]) {
    assert.equal((await ask(server, order)).status, 400, JSON.stringify(order))
  }
  const { followers } = (await server.get('/v1/replication')).body
  assert.deepEqual(followers, [])
  assert.equal((await ask(server, { ...position, waitMs: 0 })).status, 200)
})

test('an answer has as many groups as fit, and what a slow standby has still to get is in no memory', async (t) => {
  const server = await primary(t)
  const position = await positionOf(server)
  await insert(server, 1, 150)
  const { kept } = (await server.get('/v1/replication')).body
  assert.ok(kept.bytes > followBytesMax)
  const { text } = await ask(server, { ...position, waitMs: 0 })
  const head = JSON.parse(text.slice(0, text.indexOf('\n')))
  assert.ok(head.bytes > followBytesMax / 2 && head.bytes <= followBytesMax, `${head.bytes}`)
  assert.ok(head.number < head.last)
  // Up to which timestamp it has everything is not known yet, or lies before what it has not.
  assert.ok(head.visible === null || head.visible < head.newest)
})

test('more standbys than may follow at a time are told so, and those that go away make room', async (t) => {
  const server = await primary(t)
  const { port } = await server.listen()
  const position = await positionOf(server)
  const url = `http://127.0.0.1:${port}/v1/replication/groups`
  const leaving = new AbortController()
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ ...position, visible: Number.MAX_SAFE_INTEGER, waitMs: 10_000 })
  const { signal } = leaving
  const statuses: number[] = []
  const many = Array.from({ length: followersMax + 5 }, async () => {
    const answer = await fetch(url, { method: 'POST', headers, body, signal }).catch(
      () => undefined,
    )
    if (answer !== undefined) statuses.push(answer.status)
  })
  const began = performance.now()
  while (statuses.filter((status) => status === 503).length < 5) {
    assert.ok(performance.now() - began < 9_000, `${statuses}`)
    await sleep(10)
  }
  leaving.abort()
  await Promise.all(many)
  // A standby that is gone holds nothing.
  await insert(server, 1, 1)
  for (let status = 0; status !== 200; await sleep(10)) {
    assert.ok(performance.now() - began < 20_000, 'none of them makes room')
    status = (await ask(server, { ...position, waitMs: 0 })).status
  }
})
