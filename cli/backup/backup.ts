// SPDX-License-Identifier: Apache-2.0
import { isWebAddress } from '../../server/config-values.ts'
import { FLAGS } from '../../server/flags.ts'
import { packageVersion } from '../../server/package-files.ts'
import { UsageError } from '../../server/usage-error.ts'
import {
  type BackupManifest,
  backUpDirectory,
  isWithin,
} from '../../storage/operations/operations.ts'
import { type Call, type Command, EXIT, type ExitCode, type Streams } from '../command.ts'
import { CONNECTION_FLAGS, connectTo, tokenOf } from '../connection/server-connection.ts'
import { exitCodeOf, failureText } from '../failure.ts'

import { megabytes, ProgressLine } from './progress-line.ts'
import { backUpServer, bytesOf } from './server-backup.ts'

export const BACKUP: Command = {
  name: 'backup',
  summary: 'copy a database into a folder',
  usage: ['[--data <text> | --url <text>] --out <dir/name> [--no-check] [--json]'],
  details: [
    'Copies a database into a new folder, with a manifest, and checks every cell of the copy. A running',
    'server makes the copy itself, in its folder of --backups, and it is taken over the network from there.',
    'Exit code 0: there is a whole backup, 1: there is none, or its check found problems, 3: no database,',
    'no connection, or a server uses the folder.',
  ],
  flags: {
    data: FLAGS.data,
    url: {
      kind: 'text',
      default: '',
      meaning: 'address of a running server, started with --backups, to copy instead',
    },
    ...CONNECTION_FLAGS,
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

const WHEN_LOCKED =
  'A running server is backed up with --url http://…; it was started with --backups DIR.'

async function run(call: Call, { output, errors }: Streams): Promise<ExitCode> {
  const folder = call.text('out')
  if (folder === '') throw new UsageError('--out says which folder the backup is to be, DIR/NAME.')
  const progress = new ProgressLine(errors)
  try {
    const manifest = await copyOf(call, folder, progress)
    progress.end()
    output.write(
      call.isOn('json') ? `${JSON.stringify(manifest)}\n` : manifestText(folder, manifest),
    )
    return manifest.check?.sound === false ? EXIT.failed : EXIT.done
  } catch (error) {
    progress.end()
    if (error instanceof UsageError) throw error
    errors.write(`percolite: ${failureText(error, WHEN_LOCKED)}\n`)
    return exitCodeOf(error)
  }
}

/** Throws UsageError. */
async function copyOf(call: Call, folder: string, progress: ProgressLine): Promise<BackupManifest> {
  const [url, check] = [call.given('url'), !call.isOn('no-check')]
  if (url === undefined) {
    const data = call.text('data')
    if (isWithin(folder, data)) {
      throw new UsageError(
        `--out ${folder} is in the folder of the database, ${data}, and would be lost with it: take another one, best on another disk.`,
      )
    }
    return await backUpDirectory(data, {
      ...{ folder, percolite: packageVersion(), check },
      onProgress: (at) => progress.show(at.state, at.bytesDone, bytesOf(at)),
    })
  }
  if (call.onCommandLine.has('data')) throw new UsageError('--data and --url exclude each other.')
  if (!isWebAddress(url)) {
    throw new UsageError(`--url ${url}: it is an address such as http://127.0.0.1:4270.`)
  }
  const request = { url, db: connectTo(url, call), token: tokenOf(call) }
  return await backUpServer({ ...request, folder, check, progress })
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
