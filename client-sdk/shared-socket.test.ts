// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startScriptedSocket } from './scripted-socket.ts'
import { SharedSocket } from './shared-socket.ts'

const NEVER = new AbortController().signal
const LONG_MS = 1_000_000

async function sharedSocket(t: TestContext) {
  const { url } = await startScriptedSocket(t)
  const socket = new SharedSocket({ url, timeoutMs: 10_000, WebSocket })
  t.after(() => socket.close())
  return socket
}

test('whoever waits for the server is woken when somebody else has opened the socket', async (t) => {
  const socket = await sharedSocket(t)
  const waiting = [1, 2].map(() => socket.openedWithin(LONG_MS, NEVER))
  await socket.open(NEVER)
  await Promise.all(waiting)
})

test('a socket that is open already wakes nobody, and a signal ends the waiting', async (t) => {
  const socket = await sharedSocket(t)
  await socket.open(NEVER)
  await socket.openedWithin(1, NEVER)
  const leaving = new AbortController()
  const waiting = socket.openedWithin(LONG_MS, leaving.signal)
  const reason = new Error('enough')
  leaving.abort(reason)
  await assert.rejects(waiting, reason)
  await assert.rejects(socket.openedWithin(LONG_MS, leaving.signal), reason)
})

test('whoever waits when it is closed is told at once', async (t) => {
  const socket = await sharedSocket(t)
  const waiting = socket.openedWithin(LONG_MS, NEVER)
  socket.close()
  await waiting
  await assert.rejects(socket.open(NEVER), { code: 'client_closed' })
})
