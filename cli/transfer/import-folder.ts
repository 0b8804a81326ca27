// SPDX-License-Identifier: Apache-2.0

import { join } from 'node:path'
import { type Database, PercoliteError, type Schemas } from '../../client-sdk/client.ts'
import { UsageError } from '../../server/usage-error.ts'
import { quotedName } from '../connection/quoted-name.ts'
import { type ImportDependencies, importTable } from './import-table.ts'
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
export async function importFolder(deps: ImportDependencies, wanted: FolderWanted): Promise<void> {
  const { db, refused, signal } = deps
  const { folder, manifest } = wanted
  const tables = wantedTables(wanted)
  await requireAsWritten(folder, manifest.schema, signal)
  for (const table of tables) await requireAsWritten(folder, table, signal)
  const missing: string[][] = []
  for (const { table, statements } of tables) {
    const wanted = await missingOf(db, table, statements)
    await requireOwn(db, table, { statements, wanted })
    missing.push(wanted)
  }
  for (const statements of missing) await define(deps, statements)
  for (const { table, file } of tables) {
    if (signal.aborted || refused.areTooMany) return
    const from = join(folder, file)
    const isZipped = file.endsWith('.gz')
    await importTable(deps, { table, from, format: manifest.rowFormat, isZipped })
  }
}

/** What changes the observer or schedule that the statement before it makes: one that is there stays as it is. */
function isChange(statement: string): boolean {
  return statement.startsWith('ALTER ')
}

/** Those that the server does not show of the table as it is. */
async function missingOf(
  db: Database,
  table: string,
  statements: readonly string[],
): Promise<string[]> {
  const sql = `SHOW CREATE TABLE ${quotedName(table)}`
  try {
    const { rows } = await db.query<{ statement: string }>(sql)
    const known = new Set(rows.map(({ statement }) => statement))
    return statements.filter((statement, index) => {
      const made = isChange(statement) ? (statements[index - 1] ?? '') : statement
      return !known.has(made)
    })
  } catch (error) {
    if (error instanceof PercoliteError && error.code === 'unknown_table') return [...statements]
    throw error
  }
}

/**
 * A manifest may come from anybody, and its statements would run with the rights of who imports it. Rejects with Error
 * for one of those that are wanted that does anything else than to make the table itself, its indexes, its observers
 * and their schedules; the server parses them.
 */
async function requireOwn(
  db: Database,
  table: string,
  {
    statements,
    wanted,
  }: { readonly statements: readonly string[]; readonly wanted: readonly string[] },
): Promise<void> {
  const isWanted = new Set(wanted)
  const observers = new Set<string>()
  let made: Schemas['DescribedStatement']['defines']
  for (const sql of wanted.length === 0 ? [] : statements) {
    const { kind, defines } = await db.request<Schemas['DescribedStatement']>(
      'POST',
      '/v1/describe',
      { sql },
    )
    const isOfTable = MAKES.has(kind) && defines?.table === table
    if (isOfTable && defines?.observer !== undefined) observers.add(defines.observer)
    const isOwnSchedule =
      kind === 'createSchedule' &&
      observers.has(defines?.observer ?? '') &&
      (await mayObserve(db, table, defines?.observer))
    const isOwn = isOfTable || isOwnSchedule
    const isPause =
      (kind === 'pauseSchedule' && isSame(defines?.schedule, made?.schedule)) ||
      (kind === 'pauseObserver' && isSame(defines?.observer, made?.observer))
    made = isOwn ? defines : undefined
    if (isOwn || isPause || !isWanted.has(sql)) continue
    throw new Error(
      `the manifest has a statement of the table ${table} that is none of its definitions: ${sql.slice(0, 200)}. ` +
        'Nothing was imported.',
    )
  }
}

/** Whether no other table has an observer of this name, which would stay as it is. */
async function mayObserve(
  db: Database,
  table: string,
  observer: string | undefined,
): Promise<boolean> {
  const { rows } = await db.query<{ name: string; table: string }>('SHOW OBSERVERS')
  return rows.every((row) => row.name !== observer || row.table === table)
}

function isSame(name: string | undefined, other: string | undefined): boolean {
  return name !== undefined && name === other
}

const MAKES = new Set(['createTable', 'createIndex', 'createObserver'])

/** What has a name that is taken stays as it is. */
async function define(
  { db, onLeft }: Pick<ImportDependencies, 'db' | 'onLeft'>,
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
