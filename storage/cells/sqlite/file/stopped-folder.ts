// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import SqliteDatabase, { type Database } from 'better-sqlite3'
import { BEGIN_READ, COUNT_OBJECTS } from '../statements.ts'
import { LOCK_FILE } from './data-directory.ts'

/**
 * Keeps servers away from a folder that is only read, until the function that it returns is called; undefined where one
 * uses it now. It writes nothing: a shared lock on the file that an owner locks exclusively. A folder that is no data
 * directory has no such file, and none of its files is a server's.
 */
export function holdStopped(folder: string): (() => void) | undefined {
  const file = join(folder, LOCK_FILE)
  if (!existsSync(file)) return () => {}
  let lock: Database | undefined
  try {
    lock = new SqliteDatabase(file, { readonly: true, timeout: 0 })
    lock.exec(BEGIN_READ)
    lock.prepare(COUNT_OBJECTS).get()
  } catch (error) {
    lock?.close()
    // Anything else says that nobody can lock it, so nobody has.
    return String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')
      ? undefined
      : () => {}
  }
  const held = lock
  return () => void held.close()
}
