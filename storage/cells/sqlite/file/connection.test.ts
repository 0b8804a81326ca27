// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { testFolder } from '../../../../test/test-folder.ts'
import { checkSqliteVersion, emptyLog, openWriterConnection } from './connection.ts'

test('a SQLite with the write-ahead log bug is refused', () => {
  for (const version of ['3.51.3', '3.51.10', '3.54.1', '4.0.0']) checkSqliteVersion(version)
  for (const version of ['3.51.2', '3.46.1', '2.99.99']) {
    assert.throws(() => checkSqliteVersion(version), {
      code: 'data_directory_unusable',
      message: /3\.51\.3 or later/,
    })
  }
})

test('a log that cannot be emptied on a full disk is left, and its content is there afterwards', async (t) => {
  const writer = openWriterConnection(join(await testFolder(t, 'connection'), 'cells.db'))
  const texts: string[] = []
  t.mock.method(writer, 'exec', (text: string) => {
    texts.push(text)
    throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
  })
  emptyLog(writer)
  writer.close()
  assert.deepEqual(texts, ['PRAGMA wal_checkpoint(TRUNCATE)'])
})
