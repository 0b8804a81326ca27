// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Database } from '../../client-sdk/client.ts'
import type { BackupState } from '../../server/backups/backups.ts'
import { SmallDisk } from '../crash/small-disk.ts'
import { ServerProcess } from '../server/server-process.ts'
import { startBackupServer } from './backup-server.ts'
import { storedRows } from './stored-backup.ts'

const ROWS = 100

/** A server in a process of its own that has begun a backup: its folder is there, and is not whole yet. */
async function whileCopying(t: TestContext) {
  const data = await storedRows(t, ROWS)
  const backups = join(data, '..', 'backups')
  const start = async () => {
    const server = await ServerProcess.start(data, ['--backups', backups])
    t.after(() => server.killNine())
    return { server, db: connect({ url: server.url }) }
  }
  const { server, db } = await start()
  await db.request('POST', '/v1/backups', { name: 'a' })
  assert.ok(existsSync(join(backups, 'a.partial')))
  return { server, backups, start }
}

async function settled(db: Database, name: string): Promise<BackupState> {
  for (;;) {
    const made = await db.request<BackupState>('GET', `/v1/backups/${name}`)
    if (made.state === 'done' || made.state === 'failed') return made
    await sleep(20)
  }
}

describe('a server in the middle of a backup', () => {
  test('that is killed loses nothing but the backup, and says so at its next start', async (t) => {
    const { server, start } = await whileCopying(t)
    await server.killNine()
    const { db } = await start()
    const { backups } = await db.request<{ backups: BackupState[] }>('GET', '/v1/backups')
    assert.deepEqual(
      backups.map(({ name, state }) => [name, state]),
      [['a', 'failed']],
    )
    assert.equal((await db.request<{ sound: boolean }>('GET', '/v1/check')).sound, true)
    await db.request('POST', '/v1/backups', { name: 'a' })
    const { manifest } = await settled(db, 'a')
    assert.deepEqual(manifest?.check, { sound: true, tables: [{ name: 'item', rows: ROWS }] })
  })

  test('that is told to stop waits for the copy, leaves none, and ends in order', async (t) => {
    const { server, backups } = await whileCopying(t)
    assert.equal(await server.stop(), 0)
    const left = readdirSync(backups)
    assert.ok(left.length === 0 || (left.length === 1 && left[0] === 'a'), left.join())
  })
})

test('a disk without room for a copy is said at once (507), and no backup is listed', async (t) => {
  const disk = await SmallDisk.mount(t, 40 * 1024)
  if (disk === undefined) return t.skip('this process may not mount a file system')
  const server = await startBackupServer(t, { backups: join(disk.folder, 'backups') })
  const { status, body } = await server.post('/v1/backups', { name: 'a' })
  assert.deepEqual([status, body.code], [507, 'disk_full'])
  assert.ok(body.neededBytes > body.freeBytes)
  assert.deepEqual((await server.get('/v1/backups')).body.backups, [])
})
