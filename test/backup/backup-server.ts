// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FlagName } from '../../server/flags.ts'
import { startTestServer, type TestServer } from '../server/test-server.ts'
import { testFolder } from '../test-folder.ts'

/** A server over a folder that makes backups. */
export async function startBackupServer(
  t: { after(clean: () => Promise<void>): void },
  flags: Partial<Readonly<Record<FlagName, string>>> = {},
): Promise<TestServer> {
  const folder = await testFolder(t, 'backups')
  const [data, backups] = [join(folder, 'data'), join(folder, 'backups')]
  return await startTestServer(t, { flags: { engine: 'sqlite', data, backups, ...flags } })
}

/** Makes a backup of this name, and waits until it is done. */
export async function makeBackup(server: TestServer, name: string): Promise<void> {
  const { status, text } = await server.post('/v1/backups', { name })
  assert.equal(status, 202, text)
  for (let state = ''; state !== 'done'; await sleep(10)) {
    state = (await server.get(`/v1/backups/${name}`)).body.state
    assert.notEqual(state, 'failed')
  }
}
