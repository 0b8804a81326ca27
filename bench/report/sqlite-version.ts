// SPDX-License-Identifier: Apache-2.0
import SqliteDatabase from 'better-sqlite3'

/** The version of the SQLite library that the store and the raw contenders run on. */
export function sqliteVersion(): string {
  const database = new SqliteDatabase(':memory:')
  try {
    return database.prepare('SELECT sqlite_version()').pluck().get() as string
  } finally {
    database.close()
  }
}
