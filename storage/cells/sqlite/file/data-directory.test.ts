// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { testFolder } from '../../../../test/test-folder.ts'
import { silentLog } from '../../../storage-log.ts'
import { openSqliteCellStore } from '../sqlite-cell-store.ts'

const FILES = ['cells.db', 'cells.db-wal', 'cells.db-shm', 'lock.db', 'lock.pid']

async function open(t: TestContext, dataDirectory: string) {
  const warnings: string[] = []
  const warn = (_facts: object, message: string) => void warnings.push(message)
  const store = await openSqliteCellStore({ dataDirectory, log: { ...silentLog, warn } })
  t.after(() => store.close())
  return { store, warnings }
}

const modeOf = (path: string) => statSync(path).mode & 0o777

test('a new folder and its files are their owner’s alone, whatever the umask', async (t) => {
  const above = join(await testFolder(t, 'directory'), 'above')
  const folder = join(above, 'data')
  const before = process.umask(0)
  t.after(() => process.umask(before))
  const { store, warnings } = await open(t, folder)
  await store.mutateRows([{ row: Buffer.from('a'), mutations: [] }])
  for (const path of [above, folder]) assert.equal(modeOf(path), 0o700, path)
  for (const file of FILES) assert.equal(modeOf(join(folder, file)), 0o600, file)
  assert.deepEqual(warnings, [])
})

for (const file of FILES) {
  test(`a link in place of ${file} is refused, and what it points at is left alone`, async (t) => {
    const folder = await testFolder(t, 'directory')
    const target = join(folder, 'target')
    const data = join(folder, 'data')
    mkdirSync(data)
    writeFileSync(target, 'mine')
    symlinkSync(target, join(data, file))
    await assert.rejects(open(t, data), {
      code: 'data_directory_unusable',
      message: new RegExp(`/${file} is a symbolic link and not a file`),
    })
    assert.equal(readFileSync(target, 'utf8'), 'mine')
  })
}

test('a link to nowhere, and a folder in place of a file, are refused too', async (t) => {
  const folder = await testFolder(t, 'directory')
  symlinkSync(join(folder, 'nowhere'), join(folder, 'lock.pid'))
  await assert.rejects(open(t, folder), /lock\.pid is a symbolic link/)
  const other = await testFolder(t, 'directory')
  mkdirSync(join(other, 'cells.db'))
  await assert.rejects(open(t, other), /cells\.db is a folder/)
})

test('the folder itself may be reached through a link, and a process id that was left behind is replaced', async (t) => {
  const folder = await testFolder(t, 'directory')
  const data = join(folder, 'data')
  mkdirSync(data)
  writeFileSync(join(data, 'lock.pid'), '1\n', { mode: 0o644 })
  symlinkSync(data, join(folder, 'link'))
  await open(t, join(folder, 'link'))
  assert.equal(readFileSync(join(data, 'lock.pid'), 'utf8'), `${process.pid}\n`)
  assert.equal(modeOf(join(data, 'lock.pid')), 0o600)
})

test('a folder that others may write to is used with a warning; one that all users may write to is refused', async (t) => {
  const folder = await testFolder(t, 'directory')
  const withMode = async (mode: number) => {
    const data = join(folder, mode.toString(8))
    mkdirSync(data)
    chmodSync(data, mode)
    return (await open(t, data)).warnings
  }
  assert.deepEqual(await withMode(0o755), [])
  assert.deepEqual(await withMode(0o775), ['the data directory can be written by other users'])
  assert.deepEqual(await withMode(0o1777), ['the data directory can be written by other users'])
  await assert.rejects(withMode(0o777), {
    code: 'data_directory_unusable',
    message: /can be written by everybody; take that away \(chmod 700 /,
  })
})

test('a folder of another user is used with a warning', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root may give a folder away')
  const data = join(await testFolder(t, 'directory'), 'data')
  mkdirSync(data, { mode: 0o700 })
  chownSync(data, 12_345, 12_345)
  const { warnings } = await open(t, data)
  assert.deepEqual(warnings, ['the data directory belongs to another user'])
})

test('a folder that cannot be made is refused at once', async (t) => {
  const file = join(await testFolder(t, 'directory'), 'file')
  writeFileSync(file, '')
  for (const path of [file, join(file, 'data'), '/proc/x', '/proc/self/a/b']) {
    await assert.rejects(open(t, path), { code: 'data_directory_unusable' }, path)
  }
})
