// SPDX-License-Identifier: Apache-2.0
import { createReadStream, type Stats, statSync } from 'node:fs'
import { terminalText } from '../../server/requests/answers/terminal-text.ts'
import { UsageError } from '../../server/usage-error.ts'
import type { Input } from '../command.ts'
import { fileProblem } from '../file-problem.ts'
import type { RowFormat } from './export-rows.ts'
import { type FolderWanted, importFolder, wantedTables } from './import-folder.ts'
import {
  type ImportBroken,
  type ImportDependencies,
  type ImportOptions,
  type ImportSource,
  importTable,
} from './import-table.ts'
import { readManifest } from './manifest.ts'

/** How rows are imported where nothing else is said. */
export const IMPORT_DEFAULTS: ImportOptions = {
  mode: 'insert',
  batchRows: 1_000,
  parallel: 4,
  delimiter: ',',
  nullText: undefined,
  retryMs: 60_000,
}

type ImportWanted = { readonly bytes: number | undefined } & (
  | { readonly kind: 'file'; readonly source: ImportSource }
  | { readonly kind: 'folder'; readonly folder: FolderWanted }
)

/** What is to be imported from a file, an export, or from `input` for `-`. Throws UsageError. */
export async function importWanted(
  from: string,
  wanted: {
    /** Those of an export that are wanted, all if none is named; the one of a file. */
    readonly tables: readonly string[]
    readonly format: 'auto' | RowFormat
    readonly input: Input | undefined
  },
): Promise<ImportWanted> {
  const { tables, input } = wanted
  const found = from === '-' && input !== undefined ? undefined : statOf(from)
  if (found?.isDirectory()) {
    const folder = { folder: from, manifest: await readManifest(from), tables }
    const bytes = wantedTables(folder).reduce((sum, table) => sum + table.bytes, 0)
    return { kind: 'folder', folder, bytes }
  }
  const [table, another] = tables
  if (table === undefined || another !== undefined) {
    throw new UsageError(`${from} is no folder of an export: name the one table of its rows.`)
  }
  const [, ending, zipped] = /\.(ndjson|jsonl|csv)?(\.?gz)?$/i.exec(from) ?? []
  const isCsv = ending?.toLowerCase() === 'csv'
  const format = wanted.format === 'auto' ? (isCsv ? 'csv' : 'ndjson') : wanted.format
  const source = {
    table,
    from: found === undefined && input !== undefined ? input : (pipeOf(from, found) ?? from),
    format,
    isZipped: zipped !== undefined,
  }
  return { kind: 'file', source, bytes: found?.isFile() ? found.size : undefined }
}

/** What comes out of a pipe, which is read once and has no hash before; undefined for a file. Throws UsageError. */
function pipeOf(path: string, found: Stats | undefined): Input | undefined {
  if (found?.isFIFO()) return createReadStream(path)
  if (found?.isFile() === false) throw new UsageError(`${path} is no file, folder or pipe.`)
  return undefined
}

function statOf(path: string): Stats {
  try {
    return statSync(path)
  } catch (error) {
    throw fileProblem(path, error)
  }
}

/** Rejects as `importTable` does. */
export async function importAll(deps: ImportDependencies, wanted: ImportWanted): Promise<void> {
  await (wanted.kind === 'folder'
    ? importFolder(deps, wanted.folder)
    : importTable(deps, wanted.source))
}

type ImportCounts = Readonly<Record<'written' | 'skipped' | 'replayed' | 'refused', number>>

/** Of all tables together. */
export function countsOf({
  imported,
  refused,
}: Pick<ImportDependencies, 'imported' | 'refused'>): ImportCounts {
  const sumOf = (name: 'written' | 'skipped' | 'replayed') =>
    imported.reduce((sum, table) => sum + table[name], 0)
  return {
    written: sumOf('written'),
    skipped: sumOf('skipped'),
    replayed: sumOf('replayed'),
    refused: refused.count,
  }
}

/** `item.csv, line 3, byte 27`. */
export function placeText({ file, place }: ImportBroken): string {
  return place === undefined ? file : `${file}, line ${place.line}, byte ${place.byte}`
}

/** `2 rows written, 1 refused, 0.4 s`. */
export function summaryText({
  written,
  skipped,
  replayed,
  refused,
  seconds,
}: ImportCounts & { readonly seconds: number }): string {
  const parts = [
    `${written} rows written`,
    ...(skipped === 0 ? [] : [`${skipped} left as they were`]),
    ...(replayed === 0 ? [] : [`${replayed} written by an earlier run`]),
    ...(refused === 0 ? [] : [`${refused} refused`]),
  ]
  return `${parts.join(', ')}, ${seconds} s\n`
}

/** Of a definition that was not made. */
export function leftText(statement: string): string {
  return `not made, because the name is taken: ${terminalText(statement)}\n`
}
