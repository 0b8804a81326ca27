// SPDX-License-Identifier: Apache-2.0
import type { Database } from 'better-sqlite3'
import { StorageError } from '../../errors.ts'
import { COUNT_OBJECTS, CREATE_REDO_LOG, CREATE_TABLES } from './statements.ts'

/** "Perc", in the header of the file, so that the database of another program is never taken for ours. */
const APPLICATION_ID = 0x50657263

/**
 * What makes each format of the file from the one before, the first of an empty file. A format is new with
 * every change that an older version could not read, so that it refuses the file instead of finding damage or
 * overlooking what is there; most change what may stand in the tables and nothing of themselves.
 */
const MIGRATIONS: readonly string[] = [
  CREATE_TABLES,
  '', // 2: notes of several commits in one cell
  CREATE_REDO_LOG,
  '', // 4: places in the redo log that are erased
  '', // 5: rows that name the history
]
const FORMAT_VERSION = MIGRATIONS.length

/**
 * Creates the tables in an empty file, and raises an older format; refuses a file that another
 * program or a newer version made.
 */
export function prepareSchema(database: Database): void {
  const applicationId = database.pragma('application_id', { simple: true })
  const version = database.pragma('user_version', { simple: true }) as number
  if (applicationId !== APPLICATION_ID) {
    const objects = database.prepare(COUNT_OBJECTS).pluck().get()
    if (applicationId !== 0 || version !== 0 || objects !== 0) {
      throw unusable(`${database.name} is the database of another program.`)
    }
    // Has to be said before the first table is made; it lets freed pages be given back bit by bit.
    database.pragma('auto_vacuum = INCREMENTAL')
  }
  if (version > FORMAT_VERSION) {
    throw unusable(
      `${database.name} has format ${version}; this version reads formats up to ${FORMAT_VERSION}.`,
    )
  }
  if (version === FORMAT_VERSION) return
  database.transaction(() => {
    for (const migration of MIGRATIONS.slice(version)) database.exec(migration)
    database.pragma(`application_id = ${APPLICATION_ID}`)
    database.pragma(`user_version = ${FORMAT_VERSION}`)
  })()
}

function unusable(message: string): StorageError {
  return new StorageError('data_directory_unusable', message)
}
