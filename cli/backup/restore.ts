// SPDX-License-Identifier: Apache-2.0
import { UsageError } from '../../server/usage-error.ts'
import { type Restored, restoreBackup } from '../../storage/operations/operations.ts'
import { type Call, type Command, EXIT, type ExitCode, type Streams } from '../command.ts'
import { exitCodeOf, failureText } from '../failure.ts'
import { ProgressLine } from './progress-line.ts'

export const RESTORE: Command = {
  name: 'restore',
  summary: 'make a database from a backup, in a new folder',
  usage: ['<dir/name> --data <text> [--no-check] [--json]'],
  details: [
    'Makes a database from a backup, in a folder that is empty or missing, and renews its history: clients',
    'that know what came after the backup are told so. Exit code 0: restored, 1 or 3: not restored, and the',
    'folder has no database.',
  ],
  flags: {
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
  const [folder] = call.words
  if (folder === undefined) throw new UsageError('It is percolite restore, and a backup: DIR/NAME.')
  const data = call.text('data')
  if (data === '') throw new UsageError('--data says which folder the database is to have.')
  const progress = new ProgressLine(errors)
  try {
    const restored = await restoreBackup(folder, data, {
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

function jsonOf({ manifest, history, report }: Restored): string {
  const tables = report?.tables.map(({ name, rows }) => ({ name, rows }))
  return JSON.stringify({ timestamp: manifest.timestamp, history: history.now, tables })
}

function restoredText(data: string, { manifest, history, report }: Restored): string {
  const moment = new Date(manifest.timestamp / 1000).toISOString()
  const lines = [`${data}: restored up to ${manifest.timestamp} (${moment})`]
  for (const { name, rows } of report?.tables ?? []) lines.push(`table ${name}: ${rows} rows`)
  lines.push(report === undefined ? 'not checked (--no-check)' : 'no problems')
  lines.push(`history ${history.now.id}, so clients are told what is lost`)
  return lines.map((line) => `${line}\n`).join('')
}
