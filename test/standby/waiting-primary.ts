// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { readConfig } from '../../server/config.ts'
import { loadContract } from '../../server/doors/http/openapi/contract.ts'
import type { FlagName } from '../../server/flags.ts'
import { createServer, type Dependencies } from '../../server/server.ts'
import { testFolder } from '../test-folder.ts'
import { HandMovedFollower } from './hand-moved-follower.ts'
import { QueryClient, until } from './query-client.ts'

const contract = loadContract()

type Flags = Partial<Readonly<Record<FlagName, string>>>

/** The folder of a store with tables for notes, made while no second copy was required, as that takes a standby. */
export async function folderWithNotes(t: TestContext): Promise<string> {
  const folder = await testFolder(t, 'waiting')
  const server = await serverOf({ data: folder })
  const { url } = await server.listen()
  // As if a standby had copied it before all this.
  await server.storage.primary?.begin()
  const at = new QueryClient(url, '')
  for (const sql of [
    'CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)',
    'CREATE TABLE numbered (id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text TEXT)',
    'CREATE TABLE seen (note INTEGER PRIMARY KEY, runs INTEGER)',
    'CREATE OBSERVER counting ON note (text)',
    "INSERT INTO note (id, text) VALUES (1, 'first')",
  ]) {
    await at.rows(sql)
  }
  await server.close()
  return folder
}

export async function serverOf(flags: Flags, deps: Pick<Dependencies, 'observers'> = {}) {
  return await createServer(readConfig({ port: '0', ...flags }), { contract, ...deps })
}

/** Follows a primary that requires a second copy, and has all so far: from then on the primary serves. */
export async function followed(t: TestContext, url: string) {
  const at = new QueryClient(url, '')
  const follower = await HandMovedFollower.of(at)
  t.after(() => follower.leave())
  await until(async () => {
    await follower.takeAll()
    return (await at.send('/readyz')).status === 200
  }, 'the primary to serve')
  return { at, follower }
}

/** A transaction of several requests that has run this statement, which has its second copy if it needs one. */
export async function opened({ at, follower }: Awaited<ReturnType<typeof followed>>, sql: string) {
  const opening = at.send('/v1/transactions', {})
  const { transaction } = (await follower.takingAll(opening)).body
  const path = `/v1/transactions/${transaction}`
  const { status, body } = await follower.takingAll(at.send(`${path}/query`, { sql }))
  assert.equal(status, 200, JSON.stringify(body))
  return { path, commit: () => at.send(`${path}/commit`, undefined, 'POST') }
}
