// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdir, open, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import SqliteDatabase from 'better-sqlite3'
import { BackupStage, checkDataDirectory } from '../../storage/operations/operations.ts'
import { openStorage } from '../../storage/storage.ts'
import { percolite } from '../cli/percolite.ts'
import { SqlSession } from '../sql-session.ts'
import { testFolder } from '../test-folder.ts'
import { startBackupServer } from './backup-server.ts'
import { storedBackup, storedRows } from './stored-backup.ts'

async function newFolder(t: TestContext): Promise<string> {
  return join(await testFolder(t, 'restored'), 'data')
}

/** What all rows of a stopped database have. */
async function textsOf(dataDirectory: string): Promise<unknown> {
  const storage = await openStorage({ engine: 'sqlite', dataDirectory })
  try {
    return await SqlSession.over(storage).run('SCAN id, text FROM item USE PRIMARY KEY')
  } finally {
    await storage.close()
  }
}

async function flipByte(path: string): Promise<void> {
  const file = await open(path, 'r+')
  const { size } = await file.stat()
  const byte = Buffer.alloc(1)
  const position = Math.floor(size / 2)
  await file.read(byte, 0, 1, position)
  byte[0] = (byte[0] as number) ^ 1
  await file.write(byte, 0, 1, position)
  await file.close()
}

describe('percolite backup and restore', () => {
  test('make a folder with a manifest, which becomes a database with another history', async (t) => {
    const backup = await storedBackup(t)
    assert.deepEqual(readdirSync(backup).toSorted(), ['cells.db', 'manifest.json'])
    assert.deepEqual(readdirSync(join(backup, '..')), ['a'])
    for (const name of readdirSync(backup)) {
      assert.equal(statSync(join(backup, name)).mode & 0o777, 0o600, name)
    }
    const manifest = JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8'))
    assert.equal(manifest.bytes, statSync(join(backup, 'cells.db')).size)
    assert.deepEqual(manifest.check, { sound: true, tables: [{ name: 'item', rows: 3 }] })
    const checked = await percolite(['check', '--backup', backup])
    assert.deepEqual([checked.code, checked.errors], [0, ''])
    assert.match(checked.output, /table item: 3 rows, 3 versions\n.*no problems\n$/s)

    const data = await newFolder(t)
    const restored = await percolite(['restore', backup, '--data', data])
    assert.deepEqual([restored.code, restored.errors], [0, ''])
    assert.match(restored.output, /table item: 3 rows\nno problems\nhistory [0-9a-f]{32},/)
    assert.deepEqual(readdirSync(data), ['cells.db'])
    const history = await percolite(['history', 'show', '--data', data, '--json'])
    const { id, gaps } = JSON.parse(history.output)
    assert.notEqual(id, manifest.history)
    assert.equal(gaps.at(-1).after, manifest.timestamp)
  })

  test('without a check there is a backup all the same, and it says so', async (t) => {
    const data = await storedRows(t, 1)
    const backup = join(data, '..', 'a')
    const args = ['backup', '--data', data, '--out', backup, '--no-check', '--json']
    const made = await percolite(args)
    assert.equal(JSON.parse(made.output).check, undefined)
    const restored = await percolite(['restore', backup, '--data', join(data, '..', 'b')])
    assert.match(restored.output, /table item: 1 rows\n/)
  })

  test('a folder that is in use, has no database, or is there already is refused', async (t) => {
    const data = await storedRows(t, 1)
    const out = join(data, '..', 'out')
    await mkdir(out)
    const taken = await percolite(['backup', '--data', data, '--out', out])
    assert.deepEqual([taken.code, taken.output], [1, ''])
    assert.match(taken.errors, /There is something at .*out already/)
    const none = await percolite(['backup', '--data', join(out, 'none'), '--out', join(out, 'a')])
    assert.equal(none.code, 3)
    const storage = await openStorage({ engine: 'sqlite', dataDirectory: data })
    t.after(() => storage.close())
    const inUse = await percolite(['backup', '--data', data, '--out', join(out, 'a')])
    assert.equal(inUse.code, 3)
    assert.deepEqual(readdirSync(out), [])
    for (const wrong of [['backup'], ['restore'], ['restore', 'a'], ['restore', 'a', 'b']]) {
      assert.equal((await percolite(wrong)).code, 2, wrong.join(' '))
    }
    const both = await percolite(['check', '--backup', 'a', '--data', 'b'])
    assert.equal(both.code, 2)
  })

  test('a folder of the user is not removed, though it has the name under which a backup is made', async (t) => {
    const data = await storedRows(t, 1)
    const backup = join(data, '..', 'nightly')
    const mine = join(`${backup}.partial`, 'mine.txt')
    await mkdir(`${backup}.partial`)
    await writeFile(mine, 'precious')
    const refused = await percolite(['backup', '--data', data, '--out', backup])
    assert.deepEqual([refused.code, refused.output], [1, ''])
    assert.match(refused.errors, /has something else in it: mine\.txt/)
    assert.deepEqual([readFileSync(mine, 'utf8'), existsSync(backup)], ['precious', false])
    // What a killed one has left makes room.
    await rm(mine)
    await mkdir(join(`${backup}.partial`, 'backup'))
    await writeFile(join(`${backup}.partial`, 'backup', 'cells.db'), 'torn')
    assert.equal((await percolite(['backup', '--data', data, '--out', backup])).code, 0)
    assert.deepEqual(readdirSync(join(backup, '..')).toSorted(), ['data', 'nightly'])
  })

  test('a backup that another one makes is left to it', async (t) => {
    const data = await storedRows(t, 1)
    const backup = join(data, '..', 'nightly')
    const stage = await BackupStage.open(backup)
    const refused = await percolite(['backup', '--data', data, '--out', backup])
    assert.deepEqual([refused.code, refused.output], [1, ''])
    assert.match(refused.errors, new RegExp(`is being made by process ${process.pid}: wait`))
    assert.ok(existsSync(stage.folder))
    await stage.close()
    assert.equal((await percolite(['backup', '--data', data, '--out', backup])).code, 0)
  })

  test('a link to nowhere, a link to a folder and a file have their names, before anything is copied', async (t) => {
    const data = await storedRows(t, 1)
    const out = join(data, '..', 'out')
    await mkdir(join(out, 'elsewhere'), { recursive: true })
    await symlink(join(out, 'nowhere'), join(out, 'dangling'))
    await symlink(join(out, 'elsewhere'), join(out, 'link'))
    await writeFile(join(out, 'file'), 'mine')
    await symlink(join(out, 'elsewhere'), join(out, 'unfinished.partial'))
    const before = readdirSync(out)
    const server = await startBackupServer(t)
    const { url } = await server.listen()
    for (const from of [
      ['--data', data],
      ['--url', url],
    ]) {
      for (const name of ['dangling', 'link', 'file', 'unfinished']) {
        const refused = await percolite(['backup', ...from, '--out', join(out, name)])
        assert.deepEqual([refused.code, refused.output], [1, ''], name)
        assert.match(refused.errors, /There is something at .* already|has something else in it/)
      }
      const below = await percolite(['backup', ...from, '--out', join(out, 'file', 'a')])
      assert.match(below.errors, /No backup can be made at .*ENOTDIR/)
    }
    assert.deepEqual(readdirSync(out), before)
    assert.deepEqual(readdirSync(join(out, 'elsewhere')), [])
    assert.deepEqual((await server.get('/v1/backups')).body.backups, [])
  })

  test('a folder in that of the database is no place for its backup, by whatever way', async (t) => {
    const data = await storedRows(t, 1)
    const before = readdirSync(data)
    const link = join(data, '..', 'link')
    await symlink(data, link)
    for (const out of [data, join(data, 'a'), join(data, 'a', 'b'), join(link, 'a')]) {
      const refused = await percolite(['backup', '--data', data, '--out', out])
      assert.deepEqual([refused.code, refused.output], [2, ''], out)
      assert.match(refused.errors, /is in the folder of the database.*take another one/)
    }
    assert.deepEqual(readdirSync(data), before)
    const beside = join(data, '..', 'data-backup')
    assert.equal((await percolite(['backup', '--data', data, '--out', beside])).code, 0)
  })

  test('a database with pages of 4 KiB has pages of 8 KiB once its backup is restored', async (t) => {
    const data = await storedRows(t, 3)
    const pageBytes = (folder: string) => {
      const database = new SqliteDatabase(join(folder, 'cells.db'))
      const bytes = database.pragma('page_size', { simple: true })
      database.close()
      return bytes
    }
    const earlier = new SqliteDatabase(join(data, 'cells.db'))
    earlier.exec('PRAGMA journal_mode = DELETE; PRAGMA page_size = 4096; VACUUM')
    earlier.close()
    const backup = join(data, '..', 'backup')
    const made = await percolite(['backup', '--data', data, '--out', backup])
    assert.deepEqual([made.code, made.errors], [0, ''])
    const restored = join(data, '..', 'restored')
    const done = await percolite(['restore', backup, '--data', restored])
    assert.deepEqual([done.code, done.errors], [0, ''])
    assert.match(done.output, /table item: 3 rows\nno problems/)
    assert.deepEqual([data, backup, restored].map(pageBytes), [4096, 8192, 8192])
    assert.deepEqual(await textsOf(restored), await textsOf(data))
  })

  test('a backup is never restored over anything', async (t) => {
    const backup = await storedBackup(t, 1)
    const data = await newFolder(t)
    await mkdir(data)
    await writeFile(join(data, 'notes.txt'), 'mine')
    const refused = await percolite(['restore', backup, '--data', data])
    assert.deepEqual([refused.code, refused.output], [3, ''])
    assert.match(refused.errors, /is not empty/)
    assert.deepEqual(readdirSync(data), ['notes.txt'])
  })
})

test('of two restores into one folder at once one is refused, and the other is whole', async (t) => {
  const backup = await storedBackup(t)
  const data = await newFolder(t)
  const args = ['restore', backup, '--data', data]
  const [first, second] = await Promise.all([percolite(args), percolite(args)])
  assert.deepEqual([first.code, second.code].toSorted(), [0, 3], first.errors + second.errors)
  const { errors } = first.code === 0 ? second : first
  assert.match(errors, /is in use by process \d+\. Another restore makes a database there/)
  assert.deepEqual(readdirSync(data), ['cells.db'])
  assert.equal((await checkDataDirectory(data)).problemCount, 0)
})

describe('a backup that is not what it was', () => {
  const DAMAGES: Readonly<Record<string, readonly [(folder: string) => Promise<void>, RegExp]>> = {
    'a flipped bit': [(folder) => flipByte(join(folder, 'cells.db')), /changed or damaged/],
    'a cut file': [(folder) => truncate(join(folder, 'cells.db'), 8_192), /not whole/],
    'a missing file': [(folder) => rm(join(folder, 'cells.db')), /cells\.db/],
    'a folder in place of the file': [
      async (folder) => {
        await rm(join(folder, 'cells.db'))
        await mkdir(join(folder, 'cells.db'))
      },
      /The backup .* cannot be used: cells\.db/,
    ],
    'a missing manifest': [(folder) => rm(join(folder, 'manifest.json')), /no whole backup/],
    'half a manifest': [(folder) => truncate(join(folder, 'manifest.json'), 50), /no JSON object/],
    'a manifest of a later version': [
      (folder) => writeFile(join(folder, 'manifest.json'), '{"format":2}'),
      /has format 2; this version reads 1/,
    ],
    'a manifest without its hash': [
      (folder) => writeFile(join(folder, 'manifest.json'), '{"format":1,"bytes":1,"timestamp":1}'),
      /lacks/,
    ],
  }
  for (const [name, [damage, expected]] of Object.entries(DAMAGES)) {
    test(`${name}: neither restored nor found sound, and nothing is left`, async (t) => {
      const backup = await storedBackup(t, 1)
      await damage(backup)
      const data = await newFolder(t)
      const restored = await percolite(['restore', backup, '--data', data])
      assert.deepEqual([restored.code, restored.output], [1, ''])
      assert.match(restored.errors, expected)
      assert.equal(existsSync(join(data, 'cells.db')), false)
      const checked = await percolite(['check', '--backup', backup])
      assert.deepEqual([checked.code, checked.output], [1, ''])
      assert.match(checked.errors, expected)
    })
  }
})
