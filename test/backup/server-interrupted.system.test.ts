// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Database } from '../../client-sdk/client.ts'
import type { BackupState } from '../../server/operations/backups/backups.ts'
import { checkDataDirectory } from '../../storage/operations/operations.ts'
import { percolite } from '../cli/percolite.ts'
import { SmallDisk } from '../crash/small-disk.ts'
import { ServerProcess } from '../server/server-process.ts'
import { startBackupServer } from './backup-server.ts'
import { copiersOf, holdCopier, TELLS_PROCESSES } from './copiers.ts'
import { storedRows } from './stored-backup.ts'

const ROWS = 100

/** A server in a process of its own that makes a backup, whose copy does not end. */
async function whileCopying(t: TestContext, folder?: string) {
  const data = await storedRows(t, ROWS)
  const backups = join(folder ?? join(data, '..'), 'backups')
  const start = async () => {
    const server = await ServerProcess.start(data, ['--backups', backups])
    t.after(() => server.killNine())
    return { server, db: connect({ url: server.url }) }
  }
  const { server, db } = await start()
  await db.request('POST', '/v1/backups', { name: 'a' })
  await holdCopier(data)
  assert.equal((await db.request<BackupState>('GET', '/v1/backups/a')).state, 'copying')
  return { server, db, data, backups, start }
}

async function settled(db: Database, name: string): Promise<BackupState> {
  for (;;) {
    const made = await db.request<BackupState>('GET', `/v1/backups/${name}`)
    if (made.state === 'done' || made.state === 'failed') return made
    await sleep(20)
  }
}

async function listed(db: Database): Promise<readonly BackupState[]> {
  return (await db.request<{ backups: BackupState[] }>('GET', '/v1/backups')).backups
}

const skip = TELLS_PROCESSES ? false : 'this system does not tell its processes'

describe('a server in the middle of a backup', { skip }, () => {
  test('that is killed loses nothing but the backup, and its next start removes what is left', async (t) => {
    const { server, data, backups, start } = await whileCopying(t)
    await server.killNine()
    assert.deepEqual(readdirSync(backups), ['a.partial'])
    const { db } = await start()
    assert.deepEqual(await listed(db), [])
    assert.deepEqual(readdirSync(backups), [])
    // The copier of the killed one hears of it as soon as it hears anything.
    for (const id of copiersOf(data)) process.kill(id, 'SIGCONT')
    while (copiersOf(data).length > 0) await sleep(10)
    assert.equal((await db.request<{ sound: boolean }>('GET', '/v1/check')).sound, true)
    await db.request('POST', '/v1/backups', { name: 'a' })
    const { manifest } = await settled(db, 'a')
    assert.deepEqual(manifest?.check, { sound: true, tables: [{ name: 'item', rows: ROWS }] })
  })

  test('that is told to stop ends it, leaves none, and ends in order', async (t) => {
    const { server, data, backups } = await whileCopying(t)
    assert.equal(await server.stop(), 0)
    assert.deepEqual([readdirSync(backups), copiersOf(data)], [[], []])
    assert.deepEqual((await checkDataDirectory(data)).problems, [])
  })

  test('ends it when it is to be removed, and makes the next one', async (t) => {
    const { server, db, data, backups } = await whileCopying(t)
    await assert.rejects(db.request('POST', '/v1/backups', { name: 'b' }), {
      code: 'backup_running',
    })
    await assert.rejects(db.request('GET', '/v1/backups/a/file'), { code: 'backup_running' })
    await db.request('DELETE', '/v1/backups/a')
    assert.deepEqual([readdirSync(backups), copiersOf(data), await listed(db)], [[], [], []])
    await db.request('POST', '/v1/backups', { name: 'a' })
    assert.equal((await settled(db, 'a')).state, 'done')
    assert.equal(await server.stop(), 0)
  })

  test('whose copier dies says so, and nothing is left but that', async (t) => {
    const { db, data, backups } = await whileCopying(t)
    for (const id of copiersOf(data)) process.kill(id, 'SIGKILL')
    const { state, detail } = await settled(db, 'a')
    assert.equal(state, 'failed')
    assert.match(detail ?? '', /The process that reads the database ended \(SIGKILL\)/)
    assert.deepEqual(readdirSync(backups), [])
    await db.request('DELETE', '/v1/backups/a')
    assert.deepEqual(await listed(db), [])
  })

  test('whose folder is removed has none in the end, and makes the next one', async (t) => {
    const { db, data, backups } = await whileCopying(t)
    await rm(backups, { recursive: true })
    for (const id of copiersOf(data)) process.kill(id, 'SIGCONT')
    assert.equal((await settled(db, 'a')).state, 'failed')
    assert.deepEqual(
      (await listed(db)).map(({ name }) => name),
      ['a'],
    )
    assert.equal(existsSync(join(backups, 'a')), false)
    for (const check of [true, false]) {
      const name = `with-${check}`
      await db.request('POST', '/v1/backups', { name, check })
      assert.equal((await settled(db, name)).state, 'done')
    }
  })
})

describe('a disk of backups', { skip }, () => {
  test('that becomes full in the middle ends the backup, of which nothing is left, and harms nothing', async (t) => {
    const disk = await SmallDisk.mount(t, 1024 * 1024)
    if (disk === undefined) return t.skip('this process may not mount a file system')
    const { db, data, backups } = await whileCopying(t, disk.folder)
    await disk.leave(1024)
    for (const id of copiersOf(data)) process.kill(id, 'SIGCONT')
    const { state, detail } = await settled(db, 'a')
    assert.equal(state, 'failed')
    assert.match(detail ?? '', /The disk of .* became full, so there is no backup/)
    assert.deepEqual(readdirSync(backups), [])
    await db.query('DELETE FROM item WHERE id = 1')
    await disk.resize(1024 * 1024)
    await db.request('POST', '/v1/backups', { name: 'a' })
    assert.equal((await settled(db, 'a')).state, 'done')
  })

  test('that has no room for what a server sends is said before anything is taken', async (t) => {
    const disk = await SmallDisk.mount(t, 64)
    if (disk === undefined) return t.skip('this process may not mount a file system')
    const server = await startBackupServer(t)
    const { url } = await server.listen()
    const refused = await percolite(['backup', '--url', url, '--out', join(disk.folder, 'a')])
    assert.deepEqual([refused.code, refused.output], [1, ''])
    assert.match(refused.errors, /has \d+ bytes left, and \d+ are needed/)
    assert.deepEqual(readdirSync(disk.folder), [])
    assert.deepEqual((await server.get('/v1/backups')).body.backups, [])
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
