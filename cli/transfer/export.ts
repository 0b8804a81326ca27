// SPDX-License-Identifier: Apache-2.0

import { type Database, PercoliteError, type Schemas } from '../../client-sdk/client.ts'
import { packageVersion } from '../../server/package-files.ts'
import { UsageError } from '../../server/usage-error.ts'
import { type Call, type Command, EXIT, type ExitCode, type Streams } from '../command.ts'
import { quotedName } from '../connection/quoted-name.ts'
import {
  connectionOf,
  SERVER_FLAGS,
  SERVER_FLAGS_FROM_ENVIRONMENT,
} from '../connection/server-connection.ts'
import { exitCodeOfServer } from '../connection/server-failure.ts'
import { failureView } from '../results/failure-view.ts'
import { ExportFolder, fileNameOf } from './export-folder.ts'
import { exportedRows, type RowFormat } from './export-rows.ts'
import { endedByInterrupt } from './interrupt.ts'
import type { ExportedTable, Manifest } from './manifest.ts'
import { TransferProgress } from './transfer-progress.ts'

export const EXPORT: Command = {
  name: 'export',
  summary: 'write tables of a server into a folder, as they are at one moment',
  usage: ['[URL] --out DIR [--table NAME …] [--where CONDITION] [--format ndjson|csv] [--gzip]'],
  details: [
    'Writes tables as they are at one moment: schema.sql, a file for each table, and at the end manifest.json, without',
    'which the folder is no export. percolite import reads it. Exit code 0: done, 1: failed, 3: no connection.',
  ],
  flags: {
    ...SERVER_FLAGS,
    out: { kind: 'name', default: '', meaning: 'new or empty folder to write into' },
    table: { kind: 'list', default: '', meaning: 'table to export; all of them if not given' },
    where: { kind: 'name', default: '', meaning: 'condition of the rows, of each table' },
    'as-of': {
      kind: 'name',
      default: '',
      meaning: 'moment of the rows, a stamp or an ISO time; now if not given',
    },
    format: {
      kind: 'choice',
      choices: ['ndjson', 'csv'],
      default: 'ndjson',
      meaning: 'form of the files',
    },
    gzip: { kind: 'switch', default: 'false', meaning: 'compress the files of the tables' },
    json: { kind: 'switch', default: 'false', meaning: 'print the summary as JSON' },
  },
  fromEnvironment: SERVER_FLAGS_FROM_ENVIRONMENT,
  wordsMax: 1,
  run,
}

type Wanted = {
  readonly tables: readonly string[]
  readonly where: string | undefined
  readonly asOf: number | string | undefined
  readonly format: RowFormat
}

async function run(call: Call, { output, errors }: Streams): Promise<ExitCode> {
  const { db } = connectionOf(call, { wordsMax: 0 })
  const out = call.given('out')
  if (out === undefined) throw new UsageError('--out is missing: the folder to write into.')
  const folder = await ExportFolder.make(out, { isZipped: call.isOn('gzip') })
  const interrupt = endedByInterrupt()
  const progress = new TransferProgress(errors)
  try {
    const parts = { db, folder, progress, signal: interrupt.signal }
    const { tables, readTimestamp } = await exportAll(parts, wantedOf(call))
    progress.end()
    const { rows, bytes, seconds } = progress
    const summary = { tables: tables.length, rows, bytes, readTimestamp, seconds }
    output.write(call.isOn('json') ? `${JSON.stringify(summary)}\n` : summaryText(out, summary))
    return EXIT.done
  } catch (error) {
    progress.end()
    const note = `${out} is no export: it has no manifest.json.\n`
    if (interrupt.signal.aborted) {
      errors.write(`percolite: ended. ${note}`)
      return EXIT.interrupted
    }
    errors.write(`${failureView(error, call.given('where') ?? '')}${adviceOf(error)}${note}`)
    return error instanceof PercoliteError ? exitCodeOfServer(error) : EXIT.failed
  } finally {
    interrupt.done()
    db.close()
  }
}

function wantedOf(call: Call): Wanted {
  const asOf = call.given('as-of')
  return {
    tables: [...new Set(call.all('table'))],
    where: call.given('where'),
    asOf: asOf !== undefined && /^\d+$/.test(asOf) ? Number(asOf) : asOf,
    format: call.text('format') as RowFormat,
  }
}

type Dependencies = {
  readonly db: Database
  readonly folder: ExportFolder
  readonly progress: TransferProgress
  readonly signal: AbortSignal
}

/** Rejects with PercoliteError, and errors of the file system. */
async function exportAll(deps: Dependencies, wanted: Wanted): Promise<Manifest> {
  const { db, folder, signal } = deps
  const { where, format } = wanted
  const moment = wanted.asOf === undefined ? { signal } : { signal, asOf: wanted.asOf }
  const shown = await db.query<{ table: string }>('SHOW TABLES', undefined, moment)
  const asOf = shown.readTimestamp
  const names = wanted.tables.length > 0 ? wanted.tables : shown.rows.map(({ table }) => table)
  const definitions = []
  for (const table of names) {
    const sql = `SHOW CREATE TABLE ${quotedName(table)}`
    const made = await db.query<{ statement: string }>(sql, undefined, { asOf, signal })
    definitions.push({ table, statements: made.rows.map(({ statement }) => statement) })
  }
  const tables: ExportedTable[] = []
  for (const [index, { table, statements }] of definitions.entries()) {
    const file = fileNameOf(table, index + 1, format)
    tables.push(await exportTable(deps, { table, statements, file, asOf, where, format }))
  }
  const schema = await folder.writeSchema(definitions.flatMap(({ statements }) => statements))
  if (wanted.tables.length === 0) await exportRelays(deps)
  const manifest: Manifest = {
    format: 1,
    percolite: packageVersion(),
    readTimestamp: asOf,
    rowFormat: format,
    ...(where !== undefined && { where }),
    schema,
    tables,
  }
  await folder.writeManifest(manifest)
  return manifest
}

/** As they are now, and without their secrets: for who may see them. */
async function exportRelays({ db, folder, signal }: Dependencies): Promise<void> {
  const principal = await db.request<Schemas['Principal']>('GET', '/v1/principal', undefined, {
    signal,
  })
  if (!principal.rights.includes('admin')) return
  const { rows } = await db.query<{ statement: string | null }>('SHOW RELAYS', undefined, {
    signal,
  })
  const statements = rows.flatMap(({ statement }) => statement ?? [])
  if (statements.length > 0) await folder.writeRelays(statements)
}

async function exportTable(
  { db, folder, progress, signal }: Dependencies,
  wanted: Pick<ExportedTable, 'table' | 'statements' | 'file'> & {
    readonly asOf: number
    readonly where: string | undefined
    readonly format: RowFormat
  },
): Promise<ExportedTable> {
  const { table, statements, file, where, asOf, format } = wanted
  let rows = 0
  const text = exportedRows(
    db,
    { from: { table, where }, asOf, format },
    {
      signal,
      onRows: (more) => {
        rows += more
        progress.rows += more
      },
    },
  )
  const onBytes = (more: number) => {
    progress.bytes += more
  }
  const written = await folder.writeRows(file, text, { signal, onBytes })
  return { table, rows, ...written, statements }
}

function adviceOf(error: unknown): string {
  if (!(error instanceof PercoliteError) || error.code !== 'snapshot_too_old') return ''
  return "The export took longer than the server keeps old rows: ALTER STORE SET retention = '7 days' keeps them longer.\n"
}

function summaryText(
  out: string,
  { tables, rows, bytes, readTimestamp, seconds }: Readonly<Record<string, number>>,
): string {
  return `${out}: ${rows} rows of ${tables} tables as of ${readTimestamp}, ${bytes} bytes, ${seconds} s\n`
}
