// SPDX-License-Identifier: Apache-2.0
import { rm } from 'node:fs/promises'
import type { Parameter } from '../../../client-sdk/client.ts'
import { writeRowsFile } from '../../transfer/export-folder.ts'
import { exportedRows, type RowsWanted } from '../../transfer/export-rows.ts'
import {
  countsOf,
  IMPORT_DEFAULTS,
  importAll,
  importWanted,
  leftText,
  placeText,
  summaryText,
} from '../../transfer/import-source.ts'
import { ImportBroken, type ImportDependencies } from '../../transfer/import-table.ts'
import { RefusedRows } from '../../transfer/refused-rows.ts'
import { TransferProgress } from '../../transfer/transfer-progress.ts'
import { type BackslashCommand, type ShellForCommands, unquoted } from './backslash-command.ts'

/** What `percolite import` and `percolite export` do, for a file at a time. */
export const TRANSFER_COMMANDS: readonly BackslashCommand[] = [
  {
    name: '\\import',
    usage: 'file [table]',
    help: 'insert the rows of a file (NDJSON, .csv) into a table, or those of an export into its own',
    tableAt: 2,
    run: importRows,
  },
  {
    name: '\\export',
    usage: 'table|SCAN … file',
    help: 'write the rows of a table or a SCAN into a file: NDJSON, or .csv; either with .gz',
    tableAt: 1,
    run: exportRows,
  },
]

async function importRows(shell: ShellForCommands, rest: string): Promise<void> {
  const [, file, table] = /^('[^']+'|\S+)(?:\s+("[^"]+"|\S+))?$/.exec(rest) ?? []
  if (file === undefined) throw new Error('It is \\import file table.')
  requireNoTransaction(shell, '\\import')
  const { screen, signal, session } = shell
  const { errors } = screen
  const tables = table === undefined ? [] : [unquoted(table)]
  const wanted = await importWanted(unquoted(file), { tables, format: 'auto', input: undefined })
  const refused = await RefusedRows.open(errors, { path: undefined, most: 0 })
  const progress = new TransferProgress(errors, wanted.bytes)
  const onLeft = (statement: string) => errors.write(leftText(statement))
  const around = { options: IMPORT_DEFAULTS, refused, progress, onLeft, signal }
  const deps: ImportDependencies = { ...around, db: session.db, imported: [] }
  try {
    await importAll(deps, wanted)
  } catch (error) {
    if (!(error instanceof ImportBroken)) throw error
    errors.write(`broke off at ${placeText(error)}\n`)
    throw error.cause
  } finally {
    progress.end()
    screen.say(summaryText({ ...countsOf(deps), seconds: progress.seconds }))
    await refused.close()
  }
  signal.throwIfAborted()
  if (refused.count > 0) {
    throw new Error(
      'A row was refused, which ends it: mend the file, or use percolite import with --max-errors.',
    )
  }
}

const SCAN = /^scan\s/i

async function exportRows(shell: ShellForCommands, rest: string): Promise<void> {
  const fileAt = rest.endsWith("'") ? rest.lastIndexOf("'", rest.length - 2) : lastWordAt(rest)
  const [what, file] = [rest.slice(0, Math.max(0, fileAt)).trim(), rest.slice(fileAt)]
  const from = fromOf(shell, what)
  if (from === undefined) {
    throw new Error('It is \\export table file, or \\export SCAN … file.')
  }
  requireNoTransaction(shell, '\\export')
  const { screen, signal, session } = shell
  const path = unquoted(file)
  const progress = new TransferProgress(screen.errors)
  const onRows = (rows: number) => {
    progress.rows += rows
  }
  const onBytes = (bytes: number) => {
    progress.bytes += bytes
  }
  const format = /\.csv(?:\.gz)?$/i.test(path) ? 'csv' : 'ndjson'
  try {
    const rows = exportedRows(session.db, { from, format, asOf: session.asOf }, { signal, onRows })
    await writeRowsFile(path, rows, { isZipped: /\.gz$/i.test(path), signal, onBytes })
  } catch (error) {
    await rm(`${path}.partial`, { force: true })
    throw signal.aborted ? signal.reason : error
  } finally {
    progress.end()
  }
  const { rows, bytes, seconds } = progress
  screen.say(`${path}: ${rows} rows, ${bytes} bytes, ${seconds} s\n`)
}

function lastWordAt(text: string): number {
  return Math.max(text.lastIndexOf(' '), text.lastIndexOf('\t')) + 1
}

/** Undefined for what is neither a table nor a SCAN. */
function fromOf({ session }: ShellForCommands, what: string): RowsWanted['from'] | undefined {
  if (!SCAN.test(what))
    return /^(?:"[^"]+"|\S+)$/.test(what) ? { table: unquoted(what) } : undefined
  const sql = what.replace(/;$/, '')
  const given = [...session.variables].filter(([name]) => sql.includes(`:${name}`))
  const params = Object.fromEntries(given.map(([name, value]) => [name, jsonOf(value)]))
  return { sql, params: given.length === 0 ? undefined : params }
}

/** An integer with all its digits is a text in JSON. */
function jsonOf(value: Parameter): unknown {
  if (typeof value !== 'bigint') return value
  return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()
}

/** Its rows would neither be seen nor be part of it. */
function requireNoTransaction({ session }: ShellForCommands, name: string): void {
  if (session.state.kind === 'none') return
  throw new Error(`${name} is not part of a transaction: end it by COMMIT; or ROLLBACK; first.`)
}
