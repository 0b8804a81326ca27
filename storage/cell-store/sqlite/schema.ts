// SPDX-License-Identifier: Apache-2.0
import type { Database } from 'better-sqlite3'
import { StorageError } from '../../errors.ts'
import { FAMILIES, type Family } from '../cell.ts'

/** "Perc", in the header of the file, so that the database of another program is never taken for ours. */
const APPLICATION_ID = 0x50657263

/**
 * Raised with every change of the layout that an older version could not read: 2 has notes of several
 * commits in one cell, 3 a redo log, 4 places in it that are erased, 5 rows that name the history.
 */
const FORMAT_VERSION = 5

/**
 * Up to this length values leave SQLite as hexadecimal text: the driver makes a string in a fraction
 * of the time that it needs for a Buffer, and decoding it costs less than the difference.
 */
const HEX_BYTES_MAX = 1024

/** So many cells are inserted by one statement. */
export const CELLS_AT_ONCE = 8

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

/** Groups whose cells are not all in the tables yet (`redo/redo-log.ts`). */
const CREATE_REDO_LOG = `
    CREATE TABLE IF NOT EXISTS redo (
      id INTEGER PRIMARY KEY,
      packed BLOB NOT NULL
    ) STRICT;`

/**
 * The statements on one family's table. Every parameter that bounds a range or a LIMIT carries a
 * unary plus: without it SQLite, built with STAT4, plans the statement anew for each value bound.
 */
export function statementTexts(family: Family) {
  const table = tableOf(family)
  const value = `CASE WHEN length(value) <= ${HEX_BYTES_MAX} THEN hex(value) ELSE value END`
  const column = 'row = +? AND qualifier = +? AND timestamp >= +? AND timestamp < +?'
  return {
    newestOfColumn: `
      SELECT timestamp, ${value} FROM ${table}
      WHERE ${column} ORDER BY timestamp DESC LIMIT 1`,
    newestTimestamp: `
      SELECT timestamp FROM ${table} WHERE ${column} ORDER BY timestamp DESC LIMIT 1`,
    cellsOfColumn: `
      SELECT timestamp, ${value} FROM ${table}
      WHERE ${column} ORDER BY timestamp DESC LIMIT +?`,
    cellsOfRow: `
      SELECT qualifier, timestamp, ${value} FROM ${table}
      WHERE row = +? AND timestamp >= +? AND timestamp < +?
      ORDER BY qualifier, timestamp DESC LIMIT +?`,
    firstColumn: `SELECT qualifier FROM ${table} WHERE row = +? ORDER BY qualifier LIMIT 1`,
    nextColumn: `
      SELECT qualifier FROM ${table}
      WHERE row = +? AND qualifier > +? ORDER BY qualifier LIMIT 1`,
    rowsForward: `${rowsForward(table)} SELECT hex(row) FROM found WHERE row IS NOT NULL`,
    rowsBackward: `${rowsBackward(table)} SELECT hex(row) FROM found WHERE row IS NOT NULL`,
    walkForward: `${walkedCells(table)} ORDER BY row, qualifier, timestamp DESC LIMIT +?`,
    walkBackward: `${walkedCells(table)} ORDER BY row DESC, qualifier DESC, timestamp LIMIT +?`,
    setCell: `INSERT OR REPLACE INTO ${table} (row, qualifier, timestamp, value) VALUES (?, ?, ?, ?)`,
    insertCells: `
      INSERT OR FAIL INTO ${table} (row, qualifier, timestamp, value)
      VALUES ${new Array(CELLS_AT_ONCE).fill('(?, ?, ?, ?)').join(', ')}`,
    deleteFromColumn: `DELETE FROM ${table} WHERE ${column}`,
  }
}

/**
 * The first so many rows of [start, end), from row to row by one step down the tree: a row with a
 * million versions costs as much as one with two. Parameters: start, end, end, count.
 */
function rowsForward(table: string): string {
  return `
    WITH RECURSIVE found (row) AS (
      SELECT (SELECT row FROM ${table} WHERE row >= +? AND row < +? ORDER BY row LIMIT 1)
      UNION ALL
      SELECT (
        SELECT row FROM ${table} AS later
        WHERE later.row > found.row AND later.row < +? ORDER BY later.row LIMIT 1
      ) FROM found WHERE found.row IS NOT NULL LIMIT +?)`
}

/** The last so many rows of [start, end), the last one first. Parameters: start, end, start, count. */
function rowsBackward(table: string): string {
  return `
    WITH RECURSIVE found (row) AS (
      SELECT (SELECT row FROM ${table} WHERE row >= +? AND row < +? ORDER BY row DESC LIMIT 1)
      UNION ALL
      SELECT (
        SELECT row FROM ${table} AS earlier
        WHERE earlier.row >= +? AND earlier.row < found.row ORDER BY earlier.row DESC LIMIT 1
      ) FROM found WHERE found.row IS NOT NULL LIMIT +?)`
}

/**
 * Cells of [start, end) with their rows; those of a column and of a time with timestamp and value as one
 * text, `8 6162`, and `8 -` when the value is too long for it; null of others. Parameters: qualifier,
 * from, until, start, end, and how many.
 */
function walkedCells(table: string): string {
  return `
    SELECT hex(row), CASE WHEN qualifier = +? AND timestamp >= +? AND timestamp < +? THEN
      timestamp || CASE WHEN length(value) <= ${HEX_BYTES_MAX} THEN ' ' || hex(value) ELSE ' -' END
    END FROM ${table} WHERE row >= +? AND row < +?`
}

/**
 * Creates the tables in an empty file, and raises an older format; refuses a file that another
 * program or a newer version made.
 */
export function prepareSchema(database: Database): void {
  const applicationId = database.pragma('application_id', { simple: true })
  const version = database.pragma('user_version', { simple: true }) as number
  if (applicationId === APPLICATION_ID) {
    if (version > FORMAT_VERSION) {
      throw unusable(
        `${database.name} has format ${version}; this version reads formats up to ${FORMAT_VERSION}.`,
      )
    }
    // An older server has to refuse it from now on, instead of finding damage or overlooking what is here.
    if (version < FORMAT_VERSION) {
      database.transaction(() => {
        database.exec(CREATE_REDO_LOG)
        database.pragma(`user_version = ${FORMAT_VERSION}`)
      })()
    }
    return
  }
  const objects = database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get()
  if (applicationId !== 0 || version !== 0 || objects !== 0) {
    throw unusable(`${database.name} is the database of another program.`)
  }
  // Has to be said before the first table is made; it lets freed pages be given back bit by bit.
  database.pragma('auto_vacuum = INCREMENTAL')
  database.transaction(() => {
    database.exec(CREATE_TABLES)
    database.exec(CREATE_REDO_LOG)
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
