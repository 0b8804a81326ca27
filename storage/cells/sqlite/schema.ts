// SPDX-License-Identifier: Apache-2.0
import SqliteDatabase, { type Database } from 'better-sqlite3'
import { StorageError } from '../../errors.ts'
import { EMBEDDED_LIMITS } from '../call-check.ts'
import {
  COUNT_OBJECTS,
  CREATE_REDO_LOG,
  CREATE_STREAMS,
  CREATE_TABLES,
  CREATE_VALUES,
  LIST_OBJECTS,
  LITESTREAM_TABLES,
} from './statements.ts'

/** "Perc", in the header of the file, so that the database of another program is never mistaken for ours. */
export const APPLICATION_ID = 0x50657263

/**
 * Pages of a new file. A record of up to a quarter of it is in one page; of a longer one SQLite copies all for each
 * comparison. A file that exists keeps its pages.
 */
export const PAGE_BYTES = 8192

/** The longest value that a record has in itself where pages have 4 KiB: a record of more than 1,002 bytes spills. */
const SMALL_PAGES_INLINE_BYTES_MAX = 255

/** The bytes of the longest value that a record of this file has in itself. */
export function inlineValueBytesMax(database: Database): number {
  const pageBytes = database.pragma('page_size', { simple: true }) as number
  return pageBytes < PAGE_BYTES ? SMALL_PAGES_INLINE_BYTES_MAX : EMBEDDED_LIMITS.inlineValueBytesMax
}

/**
 * The SQL that makes each file format from the previous one, the first from an empty file. Every change that an older
 * version could not read is a new format, so that it refuses the file instead of reporting damage or missing data; most
 * change only what the tables may hold, and no table.
 */
const MIGRATIONS: readonly string[] = [
  CREATE_TABLES,
  '', // 2: notes of several commits in one cell
  CREATE_REDO_LOG,
  '', // 4: tombstones in the redo log
  '', // 5: rows that name the history
  CREATE_VALUES,
  CREATE_STREAMS,
]
export const FORMAT_VERSION = MIGRATIONS.length

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
    // Both must be set before the first table is made; the second allows freed pages to be returned in small parts.
    database.pragma(`page_size = ${PAGE_BYTES}`)
    database.pragma('auto_vacuum = INCREMENTAL')
  }
  if (version > FORMAT_VERSION) {
    throw unusable(
      `${database.name} has format ${version}; this version reads formats up to ${FORMAT_VERSION}.`,
    )
  }
  if (version < FORMAT_VERSION) raiseFormat(database, version)
  refuseForeignObjects(database)
}

function raiseFormat(database: Database, version: number): void {
  database.transaction(() => {
    for (const migration of MIGRATIONS.slice(version)) database.exec(migration)
    database.pragma(`application_id = ${APPLICATION_ID}`)
    database.pragma(`user_version = ${FORMAT_VERSION}`)
  })()
}

/**
 * A file may come from anybody. A trigger or an index that no version made would change or hide what is written, and
 * nobody looks at it. What is missing is found when the statements are prepared. Litestream makes two tables of its own
 * in every database that it replicates; they are plain ones, and nothing here reads or writes them.
 */
function refuseForeignObjects(database: Database): void {
  const own = new Set(ownObjects())
  const foreign = objectsOf(database).find((object) => !own.has(object))
  if (foreign === undefined) return
  const [type, name] = foreign.split(' ')
  throw unusable(
    `${database.name} has something that is not of its format: the ${type} ${name?.slice(0, 100)}.`,
  )
}

function ownObjects(): readonly string[] {
  const database = new SqliteDatabase(':memory:')
  try {
    for (const migration of [...MIGRATIONS, LITESTREAM_TABLES]) database.exec(migration)
    return objectsOf(database)
  } finally {
    database.close()
  }
}

/** Type, name, table and text of each; earlier versions may have broken their lines elsewhere. */
function objectsOf(database: Database): readonly string[] {
  const objects = database.prepare<[], Record<string, string | null>>(LIST_OBJECTS).all()
  return objects.map(({ type, name, tableName, sql }) =>
    `${type} ${name} ${tableName} ${sql}`.replaceAll(/\s+/g, ' '),
  )
}

function unusable(message: string): StorageError {
  return new StorageError('data_directory_unusable', message)
}
