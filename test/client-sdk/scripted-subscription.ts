// SPDX-License-Identifier: Apache-2.0
import type { TestContext } from 'node:test'
import { type ConnectOptions, connect, type SubscribeOptions } from '../../client-sdk/client.ts'
import { type ScriptedConnection, startScriptedSocket } from './scripted-socket.ts'

export const SQL = 'SCAN id, n FROM t WHERE n > :n'
/** A subscription at a scripted server, and its first frame there. */
export async function start(
  t: TestContext,
  options: SubscribeOptions = {},
  connecting: object = {},
) {
  const server = await startScriptedSocket(t)
  const db = connect({ url: server.url, ...connecting } as ConnectOptions)
  t.after(() => db.close())
  const subscription = db.subscribe<{ id: string; n: number }>(SQL, { n: 0 }, options)
  const first = subscription.next()
  // What a test does not look at must not end the process.
  first.catch(() => undefined)
  const connection = await server.connection()
  const asked = await connection.next()
  return { server, db, subscription, first, connection, asked }
}

/** What the client asks for on its next connection. */
export async function again(server: { connection(): Promise<ScriptedConnection> }) {
  const connection = await server.connection()
  return { connection, asked: await connection.next() }
}
