// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { startBreakingProxy } from '../../test/client-sdk/breaking-proxy.ts'
import { mount } from '../../test/client-sdk/mounted.ts'
import { startRealServer } from '../../test/client-sdk/real-server.ts'
import {
  listed,
  patch,
  type ScriptedConnection,
  snapshotEnd,
  startScriptedSocket,
} from '../../test/client-sdk/scripted-socket.ts'
import { again } from '../../test/client-sdk/scripted-subscription.ts'
import { connect, type Database, type PercoliteError } from '../client.ts'
import { type Live, useLive } from './use-live.ts'

// The hook in components that React mounts, against the real server.

const { url, db } = await startRealServer('--engine', 'memory')
await db.query('CREATE TABLE todo (id INTEGER PRIMARY KEY, list TEXT NOT NULL, title TEXT)')
await db.query(
  "INSERT INTO todo (id, list, title) VALUES (1, 'home', 'sweep'), (2, 'work', 'mail')",
)

type Todo = { readonly id: number; readonly list: string; readonly title: string }

const SQL = 'SCAN * FROM todo USE PRIMARY KEY WHERE list = $1'

function useTodos(list: string): Live<Todo> {
  return useLive<Todo>(db, SQL, [list])
}

const titlesOf = ({ rows }: Live<Todo>) => rows?.map(({ title }) => title)

/** A client that counts how often live rows were opened, and its open sockets. */
function countedClient(address: string) {
  const counts = { opened: 0, sockets: 0 }
  class Counted extends WebSocket {
    constructor(...args: ConstructorParameters<typeof WebSocket>) {
      super(...args)
      counts.sockets += 1
      this.addEventListener('close', () => {
        counts.sockets -= 1
      })
    }
  }
  const client = connect({ url: address, WebSocket: Counted })
  const live = client.live.bind(client)
  client.live = ((...args: Parameters<typeof live>) => {
    counts.opened += 1
    return live(...args)
  }) as Database['live']
  return { client, counts }
}

test('a component shows that it is loading, then the rows, and those after each commit', async (t) => {
  const { shown, until } = mount(t, useTodos, 'home')
  const first = await until(({ rows }) => rows !== undefined)
  assert.deepEqual(shown[0], { rows: undefined, state: 'loading', error: undefined })
  assert.deepEqual([first.state, titlesOf(first), first.error], ['live', ['sweep'], undefined])
  await db.query("INSERT INTO todo (id, list, title) VALUES (3, 'home', 'cook')")
  const second = await until(({ rows }) => rows?.length === 2)
  assert.deepEqual(titlesOf(second), ['sweep', 'cook'])
  assert.equal(second.rows?.[0], first.rows?.[0], 'a row that did not change is the same object')
  await db.query('DELETE FROM todo WHERE id = 3')
  await until(({ rows }) => rows?.length === 1)
})

test('rendering again with equal parameters opens nothing, and with others the rows of those', async (t) => {
  const { client, counts } = countedClient(url)
  t.after(() => client.close())
  const use = (list: string) => useLive<Todo>(client, `${SQL} AND id > $2`, [list, 0n])
  const { shown, render, until } = mount<string, Live<Todo>>(t, use, 'home')
  const first = await until(({ state }) => state === 'live')
  const renders = shown.length
  for (let time = 0; time < 3; time += 1) {
    render('home')
    await setTimeout(20)
  }
  assert.ok(shown.length > renders)
  assert.equal(shown.at(-1), first)
  assert.equal(counts.opened, 1)
  render('work')
  await until(({ rows }) => titlesOf({ ...first, rows })?.[0] === 'mail')
  const between = shown.slice(renders).filter(({ state }) => state === 'loading')
  assert.ok(between.length > 0 && between.every(({ rows }) => rows === undefined))
  assert.equal(counts.opened, 2)
})

test('the two mounts of StrictMode open the rows once, and unmounting closes the socket', async (t) => {
  const { client, counts } = countedClient(url)
  t.after(() => client.close())
  const { shown, until, unmount } = mount(t, () => useLive<Todo>(client, SQL, ['home']), undefined)
  await until(({ state }) => state === 'live')
  assert.deepEqual(counts, { opened: 1, sockets: 1 })
  unmount()
  const renders = shown.length
  await db.query("SET title = 'sweep again' ON todo WHERE id = 1")
  for (let tries = 0; counts.sockets > 0 && tries < 100; tries += 1) await setTimeout(20)
  assert.deepEqual(counts, { opened: 1, sockets: 0 })
  assert.equal(shown.length, renders)
})

test('over a lost connection the rows stay, and the state says so until it is there again', async (t) => {
  const proxy = await startBreakingProxy(t, url)
  const far = connect({ url: proxy.url })
  t.after(() => far.close())
  const { shown, until } = mount(t, () => useLive<Todo>(far, SQL, ['home']), undefined)
  const before = await until(({ state }) => state === 'live')
  const renders = shown.length
  proxy.breakAll()
  await until(({ state }) => state === 'reconnecting')
  const after = await until(({ state }) => state === 'live')
  const lost = shown[renders] as Live<Todo>
  assert.equal(lost.rows, before.rows)
  assert.equal((lost.error as PercoliteError).code, 'connection_failed')
  assert.deepEqual([after.rows, after.error], [before.rows, undefined])
})

test('a result that comes back is live when it is as of now, and its rows stay until then', async (t) => {
  const server = await startScriptedSocket(t)
  const far = connect({ url: server.url })
  t.after(() => far.close())
  const sql = 'SCAN id, n FROM t ORDER BY n LIMIT 2'
  const { shown, until } = mount(t, () => useLive<{ id: string }>(far, sql), undefined)
  const rows = ['b', 'a'].map((id) => ({ id, n: 1 }))
  const first = await again(server)
  const { id } = first.asked
  first.connection.send(listed(id, 10), { type: 'rows', id, rows }, snapshotEnd(id, 10, 'ba'))
  const before = await until(({ state }) => state === 'live')
  assert.deepEqual(before.rows, rows)
  const comeBack = async (connection: ScriptedConnection) => {
    connection.drop()
    const next = await again(server)
    next.connection.send(listed(next.asked.id, next.asked.since))
    await until(({ state }) => state === 'reconnecting')
    await setTimeout(20)
    assert.deepEqual([shown.at(-1)?.state, shown.at(-1)?.rows], ['reconnecting', before.rows])
    return { connection: next.connection, id: next.asked.id }
  }
  const second = await comeBack(first.connection)
  second.connection.send({ type: 'progress', id: second.id, timestamp: 20 })
  const same = await until(({ state }) => state === 'live')
  assert.equal(same.rows, before.rows, 'the same array while nothing has changed')
  const third = await comeBack(second.connection)
  third.connection.send(patch(third.id, 30, [[0, 1, []]], undefined))
  await setTimeout(20)
  assert.equal(shown.at(-1)?.state, 'reconnecting')
  third.connection.send(patch(third.id, 30, [[1, 0, [{ id: 'c', n: 2 }]]], 'ac'))
  const after = await until(({ state }) => state === 'live')
  assert.deepEqual(
    after.rows?.map((row) => row.id),
    ['a', 'c'],
  )
  assert.equal(after.rows?.[0], before.rows?.[1], 'a row that did not change is the same object')
})

test('what the server refuses is shown as an error, and does not end the page', async (t) => {
  const { until, errors } = mount(t, () => useLive<Todo>(db, 'SCAN * FROM nothing'), undefined)
  const { rows, error } = await until(({ state }) => state === 'failed')
  assert.equal(rows, undefined)
  assert.equal((error as PercoliteError).code, 'unknown_table')
  assert.deepEqual(errors, [])
})

test('the rows of a client that is closed stay, as failed', async (t) => {
  const far = connect({ url })
  const { until } = mount(t, () => useLive<Todo>(far, SQL, ['work']), undefined)
  await until(({ state }) => state === 'live')
  far.close()
  const { rows, error } = await until(({ state }) => state === 'failed')
  assert.equal((error as PercoliteError).code, 'client_closed')
  assert.equal(rows?.length, 1)
})

test('a server that renders shows that it is loading, and asks nobody', () => {
  const { client, counts } = countedClient(url)
  const Page = () => createElement('p', null, useLive<Todo>(client, SQL, ['home']).state)
  assert.equal(renderToString(createElement(Page)), '<p>loading</p>')
  assert.equal(counts.opened, 0)
})
