// SPDX-License-Identifier: Apache-2.0
import type { Database } from 'better-sqlite3'
import { StorageError } from '../errors.ts'
import { FAMILIES, type Family } from './cell.ts'

/** "Perc", in the header of the file, so that the database of another program is never taken for ours. */
export const APPLICATION_ID = 0x50657263

/** Raised with every change of the layout that an older version could not read. */
export const FORMAT_VERSION = 1

/**
 * Each family is a table of its own, in which the cells lie in the order of the contract:
 *
 *     cell_write   row 01…"bob"   qualifier "0"   timestamp 8, 6   (the newest first)
 *
 * So a scan of `lock` touches locked rows only, and "the newest cell at or below 7" is one step down
 * the tree. A qualifier is TEXT, which SQLite compares by its UTF-8 bytes.
 */
const CREATE_TABLES = FAMILIES.map(
  (family) => `
    CREATE TABLE ${tableOf(family)} (
      row BLOB NOT NULL,
      qualifier TEXT NOT NULL,
      timestamp INTEGER NOT NULL,
      value BLOB NOT NULL,
      PRIMARY KEY (row, qualifier, timestamp DESC)
    ) STRICT, WITHOUT ROWID;`,
).join('')

/**
 * The statements on one family's table. Every parameter that bounds a range or a LIMIT carries a
 * unary plus: without it SQLite, built with STAT4, plans the statement anew for each value bound.
 */
export function statementTexts(family: Family) {
  const table = tableOf(family)
  return {
    cellsOfColumn: `
      SELECT timestamp, value FROM ${table}
      WHERE row = +? AND qualifier = +? AND timestamp >= +? AND timestamp < +?
      ORDER BY timestamp DESC LIMIT +?`,
    cellsOfRow: `
      SELECT qualifier, timestamp, value FROM ${table}
      WHERE row = +? AND timestamp >= +? AND timestamp < +?
      ORDER BY qualifier, timestamp DESC LIMIT +?`,
    firstColumn: `SELECT qualifier FROM ${table} WHERE row = +? ORDER BY qualifier LIMIT 1`,
    nextColumn: `
      SELECT qualifier FROM ${table}
      WHERE row = +? AND qualifier > +? ORDER BY qualifier LIMIT 1`,
    cellsOfRange: `
      SELECT row, qualifier, timestamp, value FROM ${table}
      WHERE row >= +? AND row < +? ORDER BY row, qualifier, timestamp DESC`,
    lastRowOfRange: `
      SELECT row FROM ${table} WHERE row >= +? AND row < +? ORDER BY row DESC LIMIT 1`,
    setCell: `INSERT OR REPLACE INTO ${table} (row, qualifier, timestamp, value) VALUES (?, ?, ?, ?)`,
    deleteFromColumn: `
      DELETE FROM ${table}
      WHERE row = +? AND qualifier = +? AND timestamp >= +? AND timestamp < +?`,
  }
}

/** Creates the tables in an empty file; refuses a file that another program or a newer version made. */
export function prepareSchema(database: Database): void {
  const applicationId = database.pragma('application_id', { simple: true })
  const version = database.pragma('user_version', { simple: true }) as number
  if (applicationId === APPLICATION_ID) {
    if (version <= FORMAT_VERSION) return
    throw unusable(
      `${database.name} has format ${version}; this version reads formats up to ${FORMAT_VERSION}.`,
    )
  }
  const objects = database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get()
  if (applicationId !== 0 || version !== 0 || objects !== 0) {
    throw unusable(`${database.name} is the database of another program.`)
  }
  // Has to be said before the first table is made; it lets freed pages be given back bit by bit.
  database.pragma('auto_vacuum = INCREMENTAL')
  database.transaction(() => {
    database.exec(CREATE_TABLES)
    database.pragma(`application_id = ${APPLICATION_ID}`)
    database.pragma(`user_version = ${FORMAT_VERSION}`)
  })()
}

function tableOf(family: Family): string {
  return `cell_${family}`
}

function unusable(message: string): StorageError {
  return new StorageError('data_directory_unusable', message)
}
