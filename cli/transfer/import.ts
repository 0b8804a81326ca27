// SPDX-License-Identifier: Apache-2.0
import { PercoliteError } from '../../client-sdk/client.ts'
import { durationMs } from '../../server/config-values.ts'
import { UsageError } from '../../server/usage-error.ts'
import { type Call, type Command, EXIT, type ExitCode, type Streams } from '../command.ts'
import {
  connectionOf,
  SERVER_FLAGS,
  SERVER_FLAGS_FROM_ENVIRONMENT,
} from '../connection/server-connection.ts'
import { exitCodeOfServer } from '../connection/server-failure.ts'
import { failureView } from '../results/failure-view.ts'
import type { RowFormat } from './export-rows.ts'
import {
  countsOf,
  IMPORT_DEFAULTS,
  importAll,
  importWanted,
  leftText,
  placeText,
  summaryText,
} from './import-source.ts'
import { ImportBroken, type ImportDependencies, type ImportOptions } from './import-table.ts'
import { endedByInterrupt } from './interrupt.ts'
import { RefusedRows } from './refused-rows.ts'
import type { ImportMode } from './row-sender.ts'
import { TransferProgress } from './transfer-progress.ts'

export const IMPORT: Command = {
  name: 'import',
  summary: 'write the rows of files or of an export into tables of a server',
  usage: [
    '[URL] FILE --table NAME [--mode insert|put|skip] [--errors FILE]',
    '[URL] DIR [--table NAME …]',
    '[URL] - --table NAME < FILE',
  ],
  details: [
    'Writes rows, a JSON object in each line or CSV with a header, into a table. DIR is what percolite export has made:',
    'tables that are missing are made. Files may be compressed (.gz). An import of rows to insert that was cut off is',
    'started again by the same command, within 24 hours, and writes nothing twice. Exit code 0: done, 1: rows were',
    'refused, or it failed, 3: no connection, 4: no answer came, and rows may have been written.',
  ],
  flags: {
    ...SERVER_FLAGS,
    table: {
      kind: 'list',
      default: '',
      meaning: 'table of the rows; of an export, all if not given',
    },
    mode: {
      kind: 'choice',
      choices: ['insert', 'put', 'skip'],
      default: IMPORT_DEFAULTS.mode,
      meaning: 'what becomes of rows that are there: refuse, put, skip',
    },
    format: {
      kind: 'choice',
      choices: ['auto', 'ndjson', 'csv'],
      default: 'auto',
      meaning: 'form of the rows; auto goes by the name of the file',
    },
    null: {
      kind: 'name',
      default: '',
      meaning: 'what stands for NULL in CSV, without quotes; an empty field if not given',
    },
    delimiter: {
      kind: 'text',
      default: IMPORT_DEFAULTS.delimiter,
      meaning: 'what separates fields of CSV; tab is \\t',
    },
    batch: {
      kind: 'count',
      default: String(IMPORT_DEFAULTS.batchRows),
      meaning: 'rows of a transaction, up to 10000 or 1 MiB',
    },
    parallel: {
      kind: 'count',
      default: String(IMPORT_DEFAULTS.parallel),
      meaning: 'transactions at a time, up to 64',
    },
    errors: { kind: 'name', default: '', meaning: 'file for rows that are refused, as NDJSON' },
    'max-errors': {
      kind: 'name',
      default: '0',
      meaning: 'rows that may be refused before the import ends',
    },
    retry: {
      kind: 'duration',
      default: '60s',
      meaning: 'how long a batch is tried again that had no answer',
    },
    json: { kind: 'switch', default: 'false', meaning: 'print the summary as JSON' },
  },
  fromEnvironment: SERVER_FLAGS_FROM_ENVIRONMENT,
  wordsMax: 2,
  run,
}

async function run(call: Call, streams: Streams): Promise<ExitCode> {
  const { db, words } = connectionOf(call, { wordsMax: 1 })
  const [from] = words
  if (from === undefined) throw new UsageError('It is percolite import, and one file, folder or -.')
  const wanted = await importWanted(from, {
    tables: [...new Set(call.all('table'))],
    format: call.text('format') as 'auto' | RowFormat,
    input: streams.input,
  })
  const options = optionsOf(call)
  const most = countOf(call, 'max-errors', 1e9)
  const path = call.given('errors')
  const refused = await RefusedRows.open(streams.errors, { path, most })
  const interrupt = endedByInterrupt()
  const progress = new TransferProgress(streams.errors, wanted.bytes)
  const onLeft = (statement: string) => streams.errors.write(`percolite: ${leftText(statement)}`)
  const { signal } = interrupt
  const deps: ImportDependencies = { db, options, refused, progress, onLeft, signal, imported: [] }
  try {
    await importAll(deps, wanted)
    progress.end()
    return told(deps, { call, streams })
  } catch (error) {
    progress.end()
    return signal.aborted
      ? told(deps, { call, streams })
      : brokenOff(error, deps, { call, streams })
  } finally {
    interrupt.done()
    await refused.close()
    db.close()
  }
}

/** Throws UsageError. */
function optionsOf(call: Call): ImportOptions {
  const delimiter = call.text('delimiter').replace('\\t', '\t')
  if (delimiter.length !== 1 || /["\r\n]/.test(delimiter)) {
    throw new UsageError(`--delimiter ${delimiter}: it is one character, or \\t for a tab.`)
  }
  return {
    ...IMPORT_DEFAULTS,
    mode: call.text('mode') as ImportMode,
    batchRows: countOf(call, 'batch', 10_000),
    parallel: countOf(call, 'parallel', 64),
    delimiter,
    nullText: call.given('null'),
    retryMs: durationMs(call.text('retry')),
  }
}

function countOf(call: Call, name: string, most: number): number {
  const text = call.text(name)
  if (/^\d{1,9}$/.test(text) && Number(text) <= most) return Number(text)
  throw new UsageError(`--${name} ${text}: it is a whole number up to ${most}.`)
}

type Options = { readonly call: Call; readonly streams: Streams }

function tellSummary(deps: ImportDependencies, { call, streams }: Options, failed?: object): void {
  const { progress, imported: tables } = deps
  const summary = { ...countsOf(deps), seconds: progress.seconds, tables, failed }
  streams.output.write(call.isOn('json') ? `${JSON.stringify(summary)}\n` : summaryText(summary))
}

/** Prints what was done before it broke off, and where that was. Returns how the command ends. */
function brokenOff(error: unknown, deps: ImportDependencies, around: Options): ExitCode {
  const { options, progress } = deps
  const { errors } = around.streams
  const broken = error instanceof ImportBroken ? error : undefined
  const cause = broken === undefined ? error : broken.cause
  const { code, message } = cause as Partial<PercoliteError>
  tellSummary(deps, around, { file: broken?.file, ...broken?.place, code, detail: message })
  errors.write(failureView(cause, ''))
  if (broken !== undefined) errors.write(`percolite: broke off at ${placeText(broken)}.\n`)
  if (!(cause instanceof PercoliteError)) return EXIT.failed
  const exitCode = exitCodeOfServer(cause)
  if (exitCode === EXIT.unknownOutcome || progress.rows > 0) errors.write(againText(options.mode))
  return exitCode
}

/** Prints what was done, and returns how the command ends. */
function told(deps: ImportDependencies, around: Options): ExitCode {
  const { options, refused, signal } = deps
  const { call, streams } = around
  tellSummary(deps, around)
  if (signal.aborted) {
    streams.errors.write(`percolite: ended. ${againText(options.mode)}`)
    return EXIT.interrupted
  }
  if (refused.count === 0) return EXIT.done
  if (refused.areTooMany) {
    streams.errors.write(
      `percolite: ended, because more than ${call.text('max-errors')} rows were refused (--max-errors).\n`,
    )
  }
  return EXIT.failed
}

/** How an import that was cut off is finished. */
function againText(mode: ImportMode): string {
  return mode === 'insert'
    ? 'The same command goes on with it, within 24 hours; later it is --mode skip.\n'
    : 'The same command does it again, which does no harm.\n'
}
