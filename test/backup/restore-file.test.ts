// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { cp, mkdir, rm, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import SqliteDatabase from 'better-sqlite3'
import { restoreFile } from '../../storage/operations/operations.ts'
import { openStorage } from '../../storage/storage.ts'
import { percolite } from '../cli/percolite.ts'
import { SmallDisk } from '../crash/small-disk.ts'
import { SqlSession } from '../sql-session.ts'
import { storedRows } from './stored-backup.ts'

/** The file of a stopped database in a folder of its own, and where it is to be restored. */
async function copiedFile(t: TestContext, rows = 3) {
  const data = await storedRows(t, rows)
  const folder = join(dirname(data), 'copied')
  await mkdir(folder)
  const file = join(folder, 'restored.db')
  await cp(join(data, 'cells.db'), file)
  return { data, file, target: join(folder, 'new') }
}

const restore = (file: string, target: string, ...flags: string[]) =>
  percolite(['restore', '--from-file', file, '--data', target, ...flags])

async function openAt(t: TestContext, dataDirectory: string) {
  const storage = await openStorage({ engine: 'sqlite', dataDirectory })
  t.after(() => storage.close())
  return storage
}

test('a file that was copied without Percolite becomes a database with another history', async (t) => {
  const { data, file, target } = await copiedFile(t)
  const before = await openAt(t, data)
  const lost = (await before.begin()).startTs
  const { code, output, errors } = await restore(file, target)
  assert.deepEqual([code, errors], [0, ''])
  assert.deepEqual(readdirSync(target), ['cells.db'])
  const [, stamp = '', moment = ''] = /restored up to (\d+) \((.+)\)\n/.exec(output) ?? []
  assert.equal(moment, new Date(Number(stamp) / 1000).toISOString())
  assert.match(output, /table item: 3 rows\nno problems\nhistory [0-9a-f]{32},/)
  assert.ok(existsSync(file), 'the copy stays')

  const restored = await openAt(t, target)
  const rows = await SqlSession.over(restored).run('SCAN id FROM item USE PRIMARY KEY')
  assert.equal((rows as { rows: unknown[] }).rows.length, 3)
  const reading = await restored.begin({ asOf: Number(stamp) })
  reading.rollback()
  const refused = { code: 'history_replaced' }
  assert.throws(() => restored.begin({ asOf: lost }), refused)
  const { name } = before.history
  assert.throws(() => restored.begin({ asOf: Number(stamp), history: name }), refused)
})

test('what it prints as JSON is what a restored backup prints', async (t) => {
  const { file, target } = await copiedFile(t, 1)
  const { code, output } = await restore(file, target, '--json', '--no-check')
  const { timestamp, history, tables } = JSON.parse(output)
  assert.deepEqual([code, history.gaps.at(-1).after, tables], [0, timestamp, undefined])
  const checked = await restore(file, join(target, '..', 'checked'), '--json')
  assert.deepEqual(JSON.parse(checked.output).tables, [{ name: 'item', rows: 1 }])
})

test('commits that are still in the log next to the file come with it', async (t) => {
  const { data, file, target } = await copiedFile(t, 1)
  const storage = await openAt(t, data)
  const session = SqlSession.over(storage)
  for (let id = 10; id < 20; id += 1) {
    await session.run('INSERT INTO item (id, text) VALUES ($1, $2)', [id, 'late'])
  }
  await cp(join(data, 'cells.db'), file)
  await cp(join(data, 'cells.db-wal'), `${file}-wal`)
  const { code, output, errors } = await restore(file, target)
  assert.deepEqual([code, errors], [0, ''])
  assert.match(output, /table item: 11 rows\nno problems/)
  assert.deepEqual(readdirSync(target), ['cells.db'])
})

test('the file of a running server is refused, and that of a stopped one is not', async (t) => {
  const { data, file, target } = await copiedFile(t, 1)
  const storage = await openStorage({ engine: 'sqlite', dataDirectory: data })
  const refused = await restore(join(data, 'cells.db'), target)
  assert.deepEqual([refused.code, refused.output, existsSync(target)], [1, '', false])
  assert.match(refused.errors, /a server uses it.*percolite backup/)
  await storage.close()
  assert.equal((await restore(join(data, 'cells.db'), target)).code, 0)
  await openAt(t, target)
  assert.equal((await restore(file, target)).code, 3, 'never over anything')
})

describe('a file that cannot be restored is refused by name, and nothing is left', () => {
  const change = (sql: string) => (file: string) => {
    const database = new SqliteDatabase(file)
    database.exec(sql)
    database.close()
  }
  const FILES: Readonly<Record<string, readonly [(file: string) => unknown, RegExp]>> = {
    'none at all': [(file) => rm(file), /there is no such file/],
    'a folder': [
      async (file) => {
        await rm(file)
        await mkdir(file)
      },
      /a folder/,
    ],
    'an empty file': [(file) => truncate(file, 0), /no file of SQLite/],
    'a text': [(file) => writeFile(file, 'a text and no database. '.repeat(1_000)), /no file of S/],
    'of another program': [change('PRAGMA application_id = 7'), /the database of another program/],
    'of a later format': [
      change('PRAGMA user_version = 99'),
      /has format 99; this version reads formats up to \d/,
    ],
    'with a foreign trigger': [
      change('CREATE TRIGGER x AFTER INSERT ON cell_data BEGIN DELETE FROM cell_lock; END'),
      /restored\.db has something that is not of its format/,
    ],
    'cut short': [(file) => truncate(file, 200_000), /problems, the first:/],
    'of a transaction that was cut off': [
      (file) => writeFile(`${file}-journal`, 'half'),
      /cut off, so it is no whole copy/,
    ],
  }
  for (const [name, [make, expected]] of Object.entries(FILES)) {
    test(name, async (t) => {
      const { file, target } = await copiedFile(t)
      await make(file)
      const { code, output, errors } = await restore(file, target)
      assert.deepEqual([code, output], [1, ''])
      assert.match(errors, expected)
      assert.ok(errors.startsWith(`percolite: The copy ${file} cannot be used: `), errors)
      assert.deepEqual(existsSync(target) ? readdirSync(target) : [], [])
    })
  }

  test('and a call that names no file, or two sources, is a mistake', async () => {
    const backupToo = ['restore', 'a', '--from-file', 'b', '--data', 'c']
    for (const wrong of [backupToo, ['restore', '--from-file', 'b'], ['restore', '--data', 'c']]) {
      assert.equal((await percolite(wrong)).code, 2, wrong.join(' '))
    }
  })
})

test('a disk that is too small is refused before anything is copied', async (t) => {
  const { file } = await copiedFile(t, 1)
  const disk = await SmallDisk.mount(t, 1_024)
  if (disk === undefined) return t.skip('this process may not mount a file system')
  const target = join(disk.folder, 'new')
  const restored = restoreFile(file, target, { check: true })
  await assert.rejects(restored, { code: 'disk_full', message: /bytes left, and \d+ are needed/ })
  assert.deepEqual(readdirSync(target), [])
})
