// SPDX-License-Identifier: Apache-2.0
import { type Database, PercoliteError } from '../../client-sdk/client.ts'
import { checksumOf, hasStatement, type MigrationFile } from './migration-file.ts'

/** What the table `percoliteMigration` knows of a file: written in the same transactions as its statements. */
export type MigrationRow = {
  readonly name: string
  /** How many statements are done, and how many the file had then. */
  readonly done: bigint
  readonly total: bigint
  /** Characters of the file that are done with, and their hash. */
  readonly length: bigint
  readonly checksum: string
}

const CREATE = `CREATE TABLE IF NOT EXISTS percoliteMigration (
  name TEXT PRIMARY KEY, done INTEGER NOT NULL, total INTEGER NOT NULL,
  length INTEGER NOT NULL, checksum TEXT NOT NULL, changedAt TIMESTAMP NOT NULL
)`

const ADD = `INSERT INTO percoliteMigration (name, done, total, length, checksum, changedAt)
  VALUES (:name, 0, 0, 0, :checksum, now()) ON CONFLICT DO NOTHING`

/** First in the transaction of each part: that nobody else has done it, and that it is done. */
export const NOTE = `CHECK done = :before ON percoliteMigration WHERE name = :name;
  SET done = :done, total = :total, length = :length, checksum = :checksum, changedAt = now()
  ON percoliteMigration WHERE name = :name`

/** The rows by their names; none where there is no table. Rejects with PercoliteError. */
export async function migrationRows(db: Database): Promise<ReadonlyMap<string, MigrationRow>> {
  try {
    const sql = 'SCAN * FROM percoliteMigration USE PRIMARY KEY'
    const { rows } = await db.query<MigrationRow>(sql, [], { maxRows: Number.MAX_SAFE_INTEGER })
    return new Map(rows.map((row) => [row.name, row]))
  } catch (error) {
    if (error instanceof PercoliteError && error.code === 'unknown_table') return new Map()
    throw error
  }
}

/** The row of a file; it is made where there is none, and so is the table. Rejects with PercoliteError. */
export async function migrationRow(db: Database, name: string): Promise<MigrationRow> {
  const add = () => db.query(ADD, { name, checksum: checksumOf('') })
  try {
    await add()
  } catch (error) {
    if (!(error instanceof PercoliteError) || error.code !== 'unknown_table') throw error
    await db.query(CREATE)
    await add()
  }
  const sql = 'GET * FROM percoliteMigration WHERE name = :name'
  const { rows } = await db.query<MigrationRow>(sql, { name })
  if (rows[0] === undefined) throw new Error(`The row of ${name} was deleted meanwhile.`)
  return rows[0]
}

/** What was not done of a file is in it no more: all of it is done. Rejects with PercoliteError. */
export async function noteRestGone(db: Database, { name, text }: MigrationFile, done: bigint) {
  const sql = `SET total = done, length = :length, checksum = :checksum, changedAt = now()
    ON percoliteMigration WHERE name = :name IF done = :done`
  const kept = text.trimEnd()
  await db.query(sql, { name, done, length: kept.length, checksum: checksumOf(kept) })
}

export type MigrationState = 'open' | 'half done' | 'done' | 'changed'

/**
 * Changed is a file that begins otherwise than when it was run; what is not done of it may be mended. Blanks and
 * comments behind it change nothing, and a file of nothing else is done.
 */
export function stateOf({ text }: MigrationFile, row: MigrationRow | undefined): MigrationState {
  if (row === undefined || row.done === 0n) return hasStatement(text) ? 'open' : 'done'
  const length = Number(row.length)
  if (checksumOf(text.slice(0, length)) !== row.checksum) return 'changed'
  if (row.done !== row.total) return 'half done'
  return hasStatement(text.slice(length)) ? 'changed' : 'done'
}
