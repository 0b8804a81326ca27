// SPDX-License-Identifier: Apache-2.0
import { UsageError } from '../../server/usage-error.ts'
import { type Restored, restoreBackup, restoreFile } from '../../storage/operations/operations.ts'
import { type Call, type Command, EXIT, type ExitCode, type Streams } from '../command.ts'
import { exitCodeOf, failureText } from '../failure.ts'
import { ProgressLine } from './progress-line.ts'

export const RESTORE: Command = {
  name: 'restore',
  summary: 'make a database from a backup or a copied file, in a new folder',
  usage: [
    '<dir/name> --data <text> [--no-check] [--json]',
    '--from-file <text> --data <text> [--no-check] [--json]',
  ],
  details: [
    'Makes a database from a backup, or from a cells.db that Litestream restored, in a folder that is empty or',
    'missing. Checks its pages, every cell and every index entry, renews its history, so that clients that know',
    'what came later are told so, and prints up to which commit it goes. Exit code 0: restored, 1 or 3: not',
    'restored, and the folder has no database.',
  ],
  flags: {
    'from-file': {
      kind: 'text',
      default: '',
      meaning: 'the cells.db to restore in place of a backup; FILE-wal is taken with it',
    },
    data: { kind: 'text', default: '', meaning: 'folder of the new database, empty or missing' },
    'no-check': { kind: 'switch', default: 'false', meaning: 'do not look at every cell' },
    json: { kind: 'switch', default: 'false', meaning: 'print what was restored as JSON' },
  },
  // A database that is in use is never the place of a new one by accident.
  fromEnvironment: [],
  wordsMax: 1,
  run,
}

async function run(call: Call, { output, errors }: Streams): Promise<ExitCode> {
  const restore = sourceOf(call)
  const data = call.text('data')
  if (data === '') throw new UsageError('--data says which folder the database is to have.')
  const progress = new ProgressLine(errors)
  try {
    const restored = await restore(data, {
      check: !call.isOn('no-check'),
      onProgress: (done, total) => progress.show('restoring', done, total),
    })
    progress.end()
    output.write(call.isOn('json') ? `${jsonOf(restored)}\n` : restoredText(data, restored))
    return EXIT.done
  } catch (error) {
    progress.end()
    errors.write(
      `percolite: ${failureText(error, 'Another restore makes a database there: wait for it.')}\n`,
    )
    return exitCodeOf(error)
  }
}

type Restore = (data: string, options: Parameters<typeof restoreBackup>[2]) => Promise<Restored>

/** Throws UsageError. */
function sourceOf(call: Call): Restore {
  const [[folder], file] = [call.words, call.given('from-file')]
  if (folder !== undefined && file !== undefined) {
    throw new UsageError('A backup and --from-file exclude each other.')
  }
  if (file !== undefined) return (data, options) => restoreFile(file, data, options)
  if (folder === undefined) {
    throw new UsageError('It is percolite restore, and a backup, DIR/NAME, or --from-file FILE.')
  }
  return (data, options) => restoreBackup(folder, data, options)
}

function jsonOf({ timestamp, history, report }: Restored): string {
  const tables = report?.tables.map(({ name, rows }) => ({ name, rows }))
  return JSON.stringify({ timestamp, history: history.now, tables })
}

function restoredText(data: string, { timestamp, history, report }: Restored): string {
  const moment = new Date(timestamp / 1000).toISOString()
  const lines = [`${data}: restored up to ${timestamp} (${moment})`]
  for (const { name, rows } of report?.tables ?? []) lines.push(`table ${name}: ${rows} rows`)
  lines.push(report === undefined ? 'not checked (--no-check)' : 'no problems')
  lines.push(`history ${history.now.id}, so clients are told what is lost`)
  return lines.map((line) => `${line}\n`).join('')
}
