// SPDX-License-Identifier: Apache-2.0
import { statSync } from 'node:fs'
import SqliteDatabase, { type Database } from 'better-sqlite3'
import { StorageError } from '../../../errors.ts'
import { PAGE_BYTES, prepareSchema } from '../schema.ts'
import { EMPTY_LOG, SQLITE_VERSION } from '../statements.ts'
import { LOG_BOUNDS } from '../wal/write-ahead-log.ts'

/**
 * Before this version a checkpoint could reset the write-ahead log while another connection still
 * read it, and damage the file (sqlite.org/wal.html, "the WAL-reset bug").
 */
const SQLITE_VERSION_MIN = [3, 51, 3] as const

/**
 * The connection that writes. `synchronous = FULL` syncs the log at each COMMIT; the driver's own default (NORMAL)
 * loses acknowledged commits when the power fails.
 */
export function openWriterConnection(path: string): Database {
  refuseLostFile(path)
  return openConnection(path, (database) => {
    checkSqliteVersion(database.prepare(SQLITE_VERSION).pluck().get() as string)
    prepareSchema(database)
    if (database.pragma('journal_mode = WAL', { simple: true }) !== 'wal') {
      throw new Error('its file system does not support a write-ahead log')
    }
    database.pragma('synchronous = FULL')
    // On macOS a plain fsync leaves the data in the drive's cache; elsewhere these change nothing.
    database.pragma('fullfsync = ON')
    database.pragma('checkpoint_fullfsync = ON')
    // The file of the log keeps the length at which it is restarted, and need not grow again each time.
    database.pragma(`journal_size_limit = ${LOG_BOUNDS.max}`)
    // A commit that runs a checkpoint delays all others; a separate thread runs them.
    database.pragma('wal_autocheckpoint = 0')
    // In KiB. What is flushed comes in the order of the keys, so few pages are asked for twice.
    database.pragma('cache_size = -8192')
  })
}

/** A connection that only runs checkpoints, with the same durability settings as the writer. */
export function openCheckpointerConnection(path: string): Database {
  return openConnection(path, (database) => {
    database.pragma('synchronous = FULL')
    database.pragma('checkpoint_fullfsync = ON')
  })
}

/** A connection for reads. */
export function openReaderConnection(path: string): Database {
  return openConnection(path, (database) => {
    database.pragma('query_only = ON')
  })
}

/**
 * A connection that copies the file and changes nothing in it. The copy of a file with smaller pages has those of a new
 * one.
 */
export function openCopierConnection(path: string): Database {
  return openConnection(path, (database) => database.pragma(`page_size = ${PAGE_BYTES}`), {
    readonly: true,
  })
}

/** Leaves one complete file: a checkpoint moves the log's content into it and truncates the log. */
export function emptyLog(writer: Database): void {
  try {
    writer.exec(EMPTY_LOG)
  } catch {
    // On a full disk the log stays as it is; it is durable, and the next start reads it.
  }
}

/** The error for a file that opens, but has other tables than ours; preparing the statements finds that out. */
export function unusableFile(path: string, cause: unknown): StorageError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const message = `${path} cannot be used: ${reason}.`
  return new StorageError('data_directory_unusable', message, {}, { cause })
}

/** Throws `data_directory_unusable` when SQLite is too old to be trusted with the data. */
export function checkSqliteVersion(version: string): void {
  const parts = version.split('.').map(Number)
  for (const [at, min] of SQLITE_VERSION_MIN.entries()) {
    const part = parts[at] ?? 0
    if (part > min) return
    if (part < min) {
      throw new StorageError(
        'data_directory_unusable',
        `SQLite ${version} can damage its write-ahead log; ${SQLITE_VERSION_MIN.join('.')} or later is needed.`,
      )
    }
  }
}

/** Bytes of a file's header; a shorter file is an empty database to SQLite. */
const FILE_HEADER_BYTES = 100

/**
 * SQLite would treat a log without its file as a left-over, delete it and create an empty file. We create a log only
 * when the file has its tables, so the file was lost, and the log may hold the rest.
 */
function refuseLostFile(path: string): void {
  const bytesOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0
  const bytes = bytesOf(path)
  if (bytes >= FILE_HEADER_BYTES || (bytes === 0 && bytesOf(`${path}-wal`) === 0)) return
  const problem = bytes === 0 ? 'is missing or empty, and its log is not' : 'is cut short'
  throw new StorageError(
    'data_directory_unusable',
    `${path} ${problem}: the file was lost, and has to be restored from a backup.`,
  )
}

function openConnection(
  path: string,
  setUp: (database: Database) => void,
  options: { readonly readonly?: boolean } = {},
): Database {
  let database: Database | undefined
  try {
    database = new SqliteDatabase(path, options)
    // Each page is looked at once, when it is read from the disk: a cell that cannot be one is told and not skipped.
    database.pragma('cell_size_check = ON')
    setUp(database)
    return database
  } catch (error) {
    database?.close()
    if (error instanceof StorageError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new StorageError(
      'data_directory_unusable',
      `${path} cannot be opened: ${reason}.`,
      {},
      { cause: error },
    )
  }
}
