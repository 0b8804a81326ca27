// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path'
import { type Database, PercoliteError } from '../../client-sdk/client.ts'
import { UsageError } from '../../server/usage-error.ts'
import { type ImportedTable, type ImportParts, importTable } from './import-table.ts'
import { type ExportedTable, type Manifest, requireAsWritten } from './manifest.ts'

/** What is wanted of an export. */
export type FolderWanted = {
  readonly folder: string
  readonly manifest: Manifest
  /** All of them if none is named. */
  readonly tables: readonly string[]
}

/** The tables that are wanted. Throws UsageError for one that the export does not have. */
export function wantedTables({ folder, manifest, tables }: FolderWanted): readonly ExportedTable[] {
  if (tables.length === 0) return manifest.tables
  return tables.map((name) => {
    const found = manifest.tables.find(({ table }) => table === name)
    if (found !== undefined) return found
    throw new UsageError(`--table ${name}: the export ${folder} has no such table.`)
  })
}

/**
 * Imports an export: its files are looked at first, then come definitions that are missing, then the rows. Observers
 * run for these rows, as for all others. Rejects as `importTable` does.
 */
export async function importFolder(
  parts: ImportParts,
  wanted: FolderWanted,
): Promise<ImportedTable[]> {
  const { db, refused, signal } = parts
  const { folder, manifest } = wanted
  const tables = wantedTables(wanted)
  await requireAsWritten(folder, manifest.schema, signal)
  for (const table of tables) await requireAsWritten(folder, table, signal)
  for (const { table, statements } of tables) {
    await define(parts, await missingOf(db, table, statements))
  }
  const imported: ImportedTable[] = []
  for (const { table, file } of tables) {
    if (signal.aborted || refused.areTooMany) return imported
    const from = join(folder, file)
    const isZipped = file.endsWith('.gz')
    imported.push(await importTable(parts, { table, from, format: manifest.rowFormat, isZipped }))
  }
  return imported
}

/** What changes the observer that the statement before it makes: an observer that is there stays as it is. */
function isChange(statement: string): boolean {
  return statement.startsWith('ALTER ')
}

/** Those that the server does not show of the table as it is. */
async function missingOf(
  db: Database,
  table: string,
  statements: readonly string[],
): Promise<readonly string[]> {
  const sql = `SHOW CREATE TABLE "${table.replaceAll('"', '""')}"`
  try {
    const { rows } = await db.query<{ statement: string }>(sql)
    const known = new Set(rows.map(({ statement }) => statement))
    return statements.filter((statement, index) => {
      const made = isChange(statement) ? (statements[index - 1] ?? '') : statement
      return !known.has(made)
    })
  } catch (error) {
    if (error instanceof PercoliteError && error.code === 'unknown_table') return statements
    throw error
  }
}

/** What has a name that is taken stays as it is. */
async function define(
  { db, onLeft }: Pick<ImportParts, 'db' | 'onLeft'>,
  statements: readonly string[],
): Promise<void> {
  let isThere = false
  for (const statement of statements) {
    if (isChange(statement) && isThere) continue
    isThere = false
    await db.query(statement).catch((error: unknown) => {
      if (!(error instanceof PercoliteError) || error.code !== 'already_exists') throw error
      isThere = true
      onLeft(statement)
    })
  }
}
