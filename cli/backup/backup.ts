// SPDX-License-Identifier: Apache-2.0
import { FLAGS } from '../../server/flags.ts'
import { packageVersion } from '../../server/package-files.ts'
import { UsageError } from '../../server/usage-error.ts'
import { type BackupManifest, backUpDirectory } from '../../storage/storage.ts'
import { type Call, type Command, EXIT, type ExitCode, type Streams } from '../command.ts'
import { exitCodeOf, failureText } from '../failure.ts'

import { megabytes, ProgressLine } from './progress-line.ts'

export const BACKUP: Command = {
  name: 'backup',
  summary: 'copy a database into a folder',
  usage: ['[--data <text>] --out <dir/name> [--no-check] [--json]'],
  details: [
    'Copies a database into a new folder, with a manifest, and checks every cell of the copy.',
    'Exit code 0: there is a whole backup, 1: there is none, or its check found problems, 3: no database,',
    'or a server uses the folder.',
  ],
  flags: {
    data: FLAGS.data,
    out: {
      kind: 'text',
      default: '',
      meaning: 'folder of the backup, which must not exist yet',
    },
    'no-check': {
      kind: 'switch',
      default: 'false',
      meaning: 'do not look at every cell of the copy',
    },
    json: { kind: 'switch', default: 'false', meaning: 'print the manifest as JSON' },
  },
  fromEnvironment: ['data'],
  wordsMax: 0,
  run,
}

const WHEN_LOCKED = 'Stop the server for a backup of its folder.'

async function run(call: Call, { output, errors }: Streams): Promise<ExitCode> {
  const folder = call.text('out')
  if (folder === '') throw new UsageError('--out says which folder the backup is to be, DIR/NAME.')
  const progress = new ProgressLine(errors)
  try {
    const manifest = await backUpDirectory(call.text('data'), {
      ...{ folder, percolite: packageVersion(), check: !call.isOn('no-check') },
      onProgress: ({ state, bytesDone, bytesTotal }) => progress.show(state, bytesDone, bytesTotal),
    })
    progress.end()
    output.write(
      call.isOn('json') ? `${JSON.stringify(manifest)}\n` : manifestText(folder, manifest),
    )
    return manifest.check?.sound === false ? EXIT.failed : EXIT.done
  } catch (error) {
    progress.end()
    errors.write(`percolite: ${failureText(error, WHEN_LOCKED)}\n`)
    return exitCodeOf(error)
  }
}

function manifestText(folder: string, { timestamp, bytes, check }: BackupManifest): string {
  const moment = new Date(timestamp / 1000).toISOString()
  const lines = [`${folder}: ${megabytes(bytes)} MB, up to ${timestamp} (${moment})`]
  for (const { name, rows } of check?.tables ?? []) lines.push(`table ${name}: ${rows} rows`)
  if (check === undefined) lines.push('not checked (--no-check)')
  else if (check.sound) lines.push('no problems')
  else lines.push(`the copy has problems: percolite check --backup ${folder} lists them`)
  return lines.map((line) => `${line}\n`).join('')
}
