// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { StorageError } from '../../../errors.ts'
import { isDiskError } from '../error.ts'
import { CHECK_FILE, CHECK_VALUES } from '../statements.ts'
import { openWriterConnection } from './connection.ts'
import { SqliteDataDirectory } from './data-directory.ts'

/**
 * The problems that SQLite finds in its own file: its pages, their order, the cells in them, and that each long value
 * has its cell. It keeps no page checksums, so it does not notice a value that changed within its cell.
 *
 * Throws StorageError `data_directory_locked` or `data_directory_unusable`, also if there is no database yet: nothing
 * is created.
 */
export function findFileProblems(dataDirectory: string): string[] {
  const directory = openExisting(dataDirectory)
  let database: Database | undefined
  try {
    database = openWriterConnection(directory.storeFile)
    return answersOf(database, [CHECK_FILE, CHECK_VALUES])
  } catch (error) {
    const cause = error instanceof StorageError ? error.cause : error
    if (!isDiskError(cause) || isOfAnotherKind(cause)) throw error
    return [(cause as Error).message]
  } finally {
    database?.close()
    directory.release()
  }
}

/** The same of the pages alone, of an open file that others may use. */
export function findPageProblems(database: Database): string[] {
  try {
    return answersOf(database, [CHECK_FILE])
  } catch (error) {
    if (!isDiskError(error)) throw error
    return [(error as Error).message]
  }
}

function answersOf(database: Database, checks: readonly string[]): string[] {
  const answers = checks.flatMap((sql) => database.prepare(sql).pluck().all())
  return answers.map(String).filter((answer) => answer !== 'ok')
}

function openExisting(dataDirectory: string): SqliteDataDirectory {
  const nothing = () =>
    new StorageError('data_directory_unusable', `There is no database in ${dataDirectory}.`)
  if (!existsSync(dataDirectory)) throw nothing()
  const directory = new SqliteDataDirectory(dataDirectory)
  if (existsSync(directory.storeFile)) return directory
  directory.release()
  throw nothing()
}

/** The file has never been a database, so it cannot be checked. */
function isOfAnotherKind(cause: unknown): boolean {
  return (cause as { code?: unknown }).code === 'SQLITE_NOTADB'
}
