// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs'
import SqliteDatabase from 'better-sqlite3'

/**
 * Preloaded into a server (`node --import`): from the moment on when the file named by `FAIL_COMMIT_FILE`
 * exists, COMMIT of the connection that writes fails as after a sync that failed. With
 * `FAIL_COMMIT_AFTER=true` the commit itself has been carried out. With `FAIL_COMMIT_CODE=SQLITE_FULL` it fails as on
 * a full disk, for as long as the file exists.
 */
const {
  FAIL_COMMIT_FILE: file = '',
  FAIL_COMMIT_AFTER: after,
  FAIL_COMMIT_CODE: code = 'SQLITE_IOERR_FSYNC',
} = process.env
const prepare = SqliteDatabase.prototype.prepare

SqliteDatabase.prototype.prepare = function (this: SqliteDatabase.Database, text: string) {
  const statement = prepare.call(this, text)
  const isReader = this.pragma('query_only', { simple: true }) === 1
  if (text !== 'COMMIT' || isReader) return statement
  const commit = statement.run.bind(statement) as () => SqliteDatabase.RunResult
  statement.run = (() => {
    if (!existsSync(file)) return commit()
    if (after === 'true') commit()
    const message = code === 'SQLITE_FULL' ? 'database or disk is full' : 'disk I/O error'
    throw Object.assign(new Error(message), { code })
  }) as typeof statement.run
  return statement
} as typeof prepare
