// SPDX-License-Identifier: Apache-2.0
import { FAMILIES, type Family } from '../cell.ts'

/**
 * Every SQL statement of the store except those of the redo log (`redo/redo-thread.ts`). The settings of a connection
 * are where it is opened, in `file/connection.ts`, and the file's format in `schema.ts`.
 */

export const BEGIN_READ = 'BEGIN'
export const BEGIN_WRITE = 'BEGIN IMMEDIATE'
export const COMMIT = 'COMMIT'
export const ROLLBACK = 'ROLLBACK'
/** Keeps other processes away from a file that is only locked. */
export const EXCLUDE_OTHERS = 'BEGIN EXCLUSIVE'

/** Each returns whether it was blocked, the pages in the log, and how many of them are in the file. */
export const LOOK_AT_LOG = 'PRAGMA wal_checkpoint(NOOP)'
/** Checkpoints what no reader holds back, without waiting. */
export const MOVE_LOG = 'PRAGMA wal_checkpoint(PASSIVE)'
/** Checkpoints all of the log, so that the next commit restarts it. */
export const RESTART_LOG = 'PRAGMA wal_checkpoint(RESTART)'
/** The same, and truncates its file. */
export const EMPTY_LOG = 'PRAGMA wal_checkpoint(TRUNCATE)'
/** Frees the pages of this connection's cache that nothing uses now. */
export const SHRINK_MEMORY = 'PRAGMA shrink_memory'

export const SQLITE_VERSION = 'SELECT sqlite_version()'
/** What is in a file beside cells: tables, triggers and others, each with its text. */
export const LIST_OBJECTS =
  "SELECT type, name, tbl_name AS tableName, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat_'"
export const COUNT_OBJECTS = 'SELECT count(*) FROM sqlite_schema'
/** Writes all that a connection sees at one moment into a new file, without free pages. Parameter: its path. */
export const COPY_INTO = 'VACUUM INTO ?'

/** Returns at most 100 problems of the file; `quick_check` would not compare the order of keys. */
export const CHECK_FILE = 'PRAGMA integrity_check(100)'

/** Cells that are inserted by one statement. */
export const CELLS_AT_ONCE = 8

/**
 * Each family is a separate table, with the cells in the order of the contract:
 *
 *     cell_write   row 01…"bob"   qualifier "0"   timestamp 8, 6   (the newest first)
 *
 * So a scan of `lock` touches locked rows only, and "the newest cell at or below 7" is one seek. A qualifier is TEXT,
 * which SQLite compares by its UTF-8 bytes.
 */
export const CREATE_TABLES = FAMILIES.map(
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
 * Long values, which a cell names by number. SQLite finds a number without reading what it passes, and new values stand
 * one behind the other in whatever order their rows come.
 */
export const CREATE_VALUES = `
    CREATE TABLE value (
      id INTEGER PRIMARY KEY,
      bytes BLOB NOT NULL
    ) STRICT;
    ALTER TABLE cell_data ADD COLUMN value_id INTEGER;
    CREATE TRIGGER cell_deleted AFTER DELETE ON cell_data WHEN old.value_id IS NOT NULL BEGIN
      DELETE FROM value WHERE id = old.value_id;
    END;
    CREATE TRIGGER cell_shortened AFTER UPDATE ON cell_data WHEN old.value_id IS NOT NULL AND new.value_id IS NULL BEGIN
      DELETE FROM value WHERE id = old.value_id;
    END;`

/**
 * First a value, with the number that its cell names already or else the next one, so that replacing it needs no more
 * pages; then its cell. Parameters: those of the cell's address, and of the first the bytes.
 */
export const SET_VALUE = `
    INSERT OR REPLACE INTO value (id, bytes) VALUES (
      (SELECT value_id FROM cell_data WHERE row = ? AND qualifier = ? AND timestamp = ?), ?)`
export const SET_LONG_CELL = `
    INSERT INTO cell_data (row, qualifier, timestamp, value, value_id)
    VALUES (?, ?, ?, x'', last_insert_rowid())
    ON CONFLICT DO UPDATE SET value = excluded.value, value_id = excluded.value_id`

/** Returns a line for each kind of problem that there is. */
export const CHECK_VALUES = `
    SELECT concat(count(*), ' cells name a long value that does not exist') FROM cell_data
    WHERE value_id IS NOT NULL AND value_id NOT IN (SELECT id FROM value) HAVING count(*) > 0
    UNION ALL
    SELECT concat(count(*), ' long values belong to no cell') FROM value
    WHERE id NOT IN (SELECT value_id FROM cell_data WHERE value_id IS NOT NULL) HAVING count(*) > 0
    UNION ALL
    SELECT concat(count(value_id) - count(DISTINCT value_id), ' cells name the long value of another')
    FROM cell_data HAVING count(value_id) > count(DISTINCT value_id)`

/** Groups whose cells are not all in the tables yet (`redo/README.md`). */
export const CREATE_REDO_LOG = `
    CREATE TABLE redo (
      id INTEGER PRIMARY KEY,
      packed BLOB NOT NULL
    ) STRICT;`

/** The numbers of the groups, where a standby follows (`replication/group-numbers.ts`). */
export const CREATE_STREAMS = `
    CREATE TABLE stream (
      id TEXT PRIMARY KEY,
      first INTEGER NOT NULL,
      last INTEGER NOT NULL
    ) STRICT;`

/** What Litestream makes in a file that it replicates (docs/backup.md); only these texts are admitted. */
export const LITESTREAM_TABLES = `
    CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);
    CREATE TABLE _litestream_lock (id INTEGER);`

/** A longer value is not among the packed ones, and none that has a number; they are read with their rows. */
export const PACKED_BYTES_MAX = 8192

/** What a reader asks of a cell that may have its value in the table of the long ones. */
const LONG_OR_INLINE = {
  value: 'iif(value_id IS NULL, value, (SELECT bytes FROM value WHERE id = value_id))',
  size: `iif(value_id IS NULL, length(value), ${PACKED_BYTES_MAX + 1})`,
}

/**
 * The statements on one family's table. Every parameter that bounds a range or a LIMIT carries a unary plus: without it
 * SQLite, built with STAT4, plans the statement again for each bound value.
 */
export function statementTexts(family: Family) {
  const table = tableOf(family)
  const { value, size } =
    family === 'data' ? LONG_OR_INLINE : { value: 'value', size: 'length(value)' }
  const column = 'row = +? AND qualifier = +? AND timestamp >= +? AND timestamp < +?'
  return {
    newestOfColumn: `
      SELECT timestamp, ${value} FROM ${table}
      WHERE ${column} ORDER BY timestamp DESC LIMIT 1`,
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
    rowsForward: rowsForward(table) + newestCells(table, size),
    rowsBackward: rowsBackward(table) + newestCells(table, size),
    walkForward: walkedCells(table, size, 'row, qualifier, timestamp DESC'),
    walkBackward: walkedCells(table, size, 'row DESC, qualifier DESC, timestamp'),
    setCell: `
      INSERT INTO ${table} (row, qualifier, timestamp, value) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET value = excluded.value${family === 'data' ? ', value_id = NULL' : ''}`,
    insertCells: `
      INSERT OR FAIL INTO ${table} (row, qualifier, timestamp, value)
      VALUES ${new Array(CELLS_AT_ONCE).fill('(?, ?, ?, ?)').join(', ')}`,
    deleteFromColumn: `DELETE FROM ${table} WHERE ${column}`,
  }
}

/**
 * The first `count` rows of [start, end), by one seek per row: a row with a million versions costs as much as one with
 * two. Parameters: start, end, end, count.
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

/** The last `count` rows of [start, end), the last one first. Parameters: start, end, start, count. */
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
 * Cells as three values, because the driver makes a few long ones in a fraction of the time that it needs for many
 * short ones: all row keys one after the other, the same of the values, and of each cell the length of its key, its
 * timestamp and the length of its value, which is empty for a cell that was not asked for, separated by blanks. A CAST
 * leaves the bytes as they are. An order named inside an aggregate would be a sort; so who reads them checks it.
 */
const PACKED = `
  SELECT CAST(group_concat(CAST(row AS TEXT), '') AS BLOB),
    group_concat(concat(length(row), ' ', timestamp, ' ', size), ' '),
    CAST(group_concat(short, '') AS BLOB)`

const SHORT = `iif(size <= ${PACKED_BYTES_MAX}, CAST(value AS TEXT), '') AS short`

/** Cells of [start, end), values of a column and time. Parameters: column, from, until, start, end, count. */
function walkedCells(table: string, size: string, order: string): string {
  return `${PACKED} FROM (
    SELECT row, timestamp, size, ${SHORT} FROM (
      SELECT *, iif(qualifier = +? AND timestamp >= +? AND timestamp < +?, ${size}, NULL) AS size FROM ${table})
    WHERE row >= +? AND row < +? ORDER BY ${order} LIMIT +?)`
}

/** The rows found, each with the newest cell of a column and time. Parameters: column, column, from, until. */
function newestCells(table: string, size: string): string {
  return `${PACKED} FROM (
    SELECT row, timestamp, size, ${SHORT} FROM (
      SELECT found.row, timestamp, ${size} AS size, value
      FROM found LEFT JOIN ${table} AS cell ON cell.row = found.row AND cell.qualifier = +?
        AND cell.timestamp = (
          SELECT timestamp FROM ${table} AS newest WHERE newest.row = found.row
            AND newest.qualifier = +? AND newest.timestamp >= +? AND newest.timestamp < +?
          ORDER BY newest.timestamp DESC LIMIT 1)
      WHERE found.row IS NOT NULL))`
}

function tableOf(family: Family): string {
  return `cell_${family}`
}
