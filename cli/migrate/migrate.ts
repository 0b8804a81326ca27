// SPDX-License-Identifier: Apache-2.0
import { type Database, PercoliteError } from '../../client-sdk/client.ts'
import { terminalText } from '../../server/requests/answers/terminal-text.ts'
import { UsageError } from '../../server/usage-error.ts'
import { type Call, type Command, EXIT, type ExitCode, type Streams } from '../command.ts'
import { doneText, placeIn, stopOf } from '../connection/run-script.ts'
import {
  connectionOf,
  SERVER_FLAGS,
  SERVER_FLAGS_FROM_ENVIRONMENT,
} from '../connection/server-connection.ts'
import { exitCodeOfServer } from '../connection/server-failure.ts'
import { failureView } from '../results/failure-view.ts'
import { type MigrationFile, migrationFiles, newMigrationFile } from './migration-file.ts'
import { type MigrationRow, migrationRows, stateOf } from './migration-table.ts'
import { MigrationChanged, runMigration } from './run-migration.ts'

export const MIGRATE: Command = {
  name: 'migrate',
  summary: 'run the files of a folder on a server, each statement once',
  usage: ['[URL] [up|status] [--folder migrations]', 'new <name> [--folder migrations]'],
  details: [
    'Runs the .sql files of a folder in the order of their numbers and names, each statement once. How',
    'far it is stands in the table percoliteMigration, in the same transactions, so that a run that was cut off is',
    'gone on with by the same command. new makes a file. Exit code 0: all is done, 1: a statement failed, or a file',
    'has changed since it was run, 3: no connection.',
  ],
  flags: {
    ...SERVER_FLAGS,
    folder: { kind: 'file', default: 'migrations', meaning: 'folder of the files' },
  },
  fromEnvironment: SERVER_FLAGS_FROM_ENVIRONMENT,
  wordsMax: 2,
  run,
}

async function run(call: Call, streams: Streams): Promise<ExitCode> {
  const folder = call.text('folder')
  if (call.words[0] === 'new') return makeNew(call.words[1], folder, streams)
  const { db, words } = connectionOf(call, { wordsMax: 1 })
  const [action = 'up'] = words
  if (action !== 'up' && action !== 'status') {
    throw new UsageError(`"${action.slice(0, 100)}" is not one of up, status and new.`)
  }
  const files = migrationFiles(folder)
  try {
    return action === 'up' ? await up(db, files, streams) : await status(db, files, streams)
  } catch (error) {
    streams.errors.write(failureView(error, ''))
    return exitCodeOfServer(error)
  }
}

function makeNew(name: string | undefined, folder: string, { output }: Streams): ExitCode {
  if (name === undefined) throw new UsageError('It is percolite migrate new, and a name.')
  output.write(`${newMigrationFile(folder, name)}\n`)
  return EXIT.done
}

async function status(
  db: Database,
  files: readonly MigrationFile[],
  { output }: Streams,
): Promise<ExitCode> {
  const rows = await migrationRows(db)
  for (const file of files) output.write(`${file.name}: ${stateText(file, rows.get(file.name))}\n`)
  const names = new Set(files.map(({ name }) => name))
  for (const [name, { done }] of rows) {
    if (!names.has(name) && done > 0n)
      output.write(`${terminalText(name)}: has been run, and there is no such file\n`)
  }
  return changedFile(files, rows) === undefined ? EXIT.done : EXIT.failed
}

function stateText(file: MigrationFile, row: MigrationRow | undefined): string {
  const state = stateOf(file, row)
  if (state === 'changed') return 'has changed since it was run'
  return state === 'half done' ? `half done, ${row?.done} of ${row?.total} statements` : state
}

/** Nothing is run where a file is not what it was. */
async function up(
  db: Database,
  files: readonly MigrationFile[],
  streams: Streams,
): Promise<ExitCode> {
  const { output, errors } = streams
  const rows = await migrationRows(db)
  const changed = changedFile(files, rows)
  if (changed !== undefined) {
    errors.write(`percolite: ${changed.path} has changed since it was run. ${CHANGED_HINT}\n`)
    return EXIT.failed
  }
  let isAnyOpen = false
  for (const file of files) {
    if (stateOf(file, rows.get(file.name)) === 'done') continue
    isAnyOpen = true
    try {
      const done = await runMigration(db, file)
      output.write(`${file.name}: ${done} statement${done === 1 ? '' : 's'}\n`)
    } catch (error) {
      errors.write(failureText(error, file))
      // Nothing is unknown: the row of the file says what is done.
      return exitCodeOfServer(error)
    }
  }
  if (!isAnyOpen) output.write('Everything has been run.\n')
  return EXIT.done
}

function changedFile(
  files: readonly MigrationFile[],
  rows: ReadonlyMap<string, MigrationRow>,
): MigrationFile | undefined {
  return files.find((file) => stateOf(file, rows.get(file.name)) === 'changed')
}

/** The text was refused as a whole: it does not parse, has no statement, or is too long. */
function isAboutFile({ httpStatus, code }: PercoliteError): boolean {
  return httpStatus === 400 || code === 'limit_exceeded'
}

const CHANGED_HINT =
  'What has been run stays as it is: give the file its text back, and write a new one.'

function failureText(error: unknown, { path, text }: MigrationFile): string {
  if (error instanceof MigrationChanged) return `percolite: ${error.message} ${CHANGED_HINT}\n`
  if (!(error instanceof PercoliteError)) return failureView(error, text)
  const stop = stopOf(error)
  const progress =
    stop !== undefined
      ? `${doneText(stop)} Mend the file from there on, and run it again.\n`
      : isAboutFile(error)
        ? 'Nothing was run. Mend the file, and run it again.\n'
        : 'What is done stays; run it again to go on.\n'
  return `percolite: ${placeIn(path, error)}\n${failureView(error, text)}${progress}`
}
