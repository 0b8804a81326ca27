// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { openStorage } from '../../storage/storage.ts'
import { percolite } from '../cli/percolite.ts'
import { SqlSession } from '../sql-session.ts'
import { testFolder } from '../test-folder.ts'

/** A stopped database of so many rows of 100 kB, in a folder of its own. */
export async function storedRows(t: TestContext, rows: number): Promise<string> {
  const data = join(await testFolder(t, 'stored'), 'data')
  const storage = await openStorage({ engine: 'sqlite', dataDirectory: data })
  try {
    const session = SqlSession.over(storage)
    await session.run('CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT)')
    for (let id = 0; id < rows; id += 1) {
      const text = String(id).repeat(100_000).slice(0, 100_000)
      await session.run('INSERT INTO item (id, text) VALUES ($1, $2)', [id, text])
    }
    return data
  } finally {
    await storage.close()
  }
}

/** A backup of such a database, as the command makes it. */
export async function storedBackup(t: TestContext, rows = 3): Promise<string> {
  const data = await storedRows(t, rows)
  const backup = join(data, '..', 'backups', 'a')
  const made = await percolite(['backup', '--data', data, '--out', backup])
  assert.equal(made.code, 0, made.errors)
  return backup
}
