// SPDX-License-Identifier: Apache-2.0
import { createInterface } from 'node:readline'
import type { Database, Schemas } from '../../client-sdk/client.ts'
import { type Call, type Command, EXIT, type ExitCode, type Streams } from '../command.ts'
import {
  connectionOf,
  SERVER_FLAGS,
  SERVER_FLAGS_FROM_ENVIRONMENT,
} from '../connection/server-connection.ts'
import { exitCodeOfServer, mayWrite } from '../connection/server-failure.ts'
import { failureView } from '../results/failure-view.ts'
import { modeOf, VIEW_FLAGS, viewOptionsOf } from '../results/view-options.ts'
import { HistoryFile, historyPath } from './history-file.ts'
import { Prompt } from './prompt.ts'
import type { ScreenDependencies } from './screen.ts'
import { FileFailed } from './script-file.ts'
import { Shell } from './shell.ts'

export const SHELL: Command = {
  name: 'shell',
  summary: 'type statements to a server, or run a file of them',
  usage: ['[URL]', '[URL] [--continue] < statements.sql'],
  details: [
    'Reads statements over any number of lines until a ; at the end of one, with completion by Tab and a history.',
    '\\? lists its own commands. Without a terminal it runs what it reads, up to the first error. Exit code 0:',
    'done, 1: a statement failed, 3: no connection, 4: no answer came to what may have been written.',
  ],
  flags: {
    ...SERVER_FLAGS,
    ...VIEW_FLAGS,
    continue: {
      kind: 'switch',
      default: 'false',
      meaning: 'go on after an error; the exit code is 1 then',
    },
    'no-history': { kind: 'switch', default: 'false', meaning: 'keep no file of what is typed' },
  },
  fromEnvironment: SERVER_FLAGS_FROM_ENVIRONMENT,
  wordsMax: 1,
  run,
}

async function run(call: Call, streams: Streams): Promise<ExitCode> {
  const { db, url } = connectionOf(call, { wordsMax: 0 })
  try {
    return streams.input.isTTY && streams.output.isTTY
      ? await runInteractive(call, streams, db, url)
      : await runScript(call, streams, db)
  } finally {
    db.close()
  }
}

async function runInteractive(
  call: Call,
  { input, output, errors }: Streams,
  db: Database,
  url: string,
): Promise<ExitCode> {
  try {
    output.write(`percolite ${await versionOf(db)} at ${url}. \\? for help, \\q to leave.\n`)
  } catch (error) {
    errors.write(failureView(error, ''))
    return exitCodeOfServer(error)
  }
  const { environment } = call
  const path = call.isOn('no-history') ? undefined : historyPath(environment)
  const prompt = new Prompt(input, output, new HistoryFile(path))
  const shell = new Shell({
    db,
    screen: {
      ...screenOf(call, output, output),
      pager: environment.PAGER || undefined,
      askForMore: (signal) => prompt.askForMore(signal),
    },
    isInteractive: true,
    continues: false,
    edit: (text) => prompt.edit(text, environment),
  })
  await prompt.run(shell)
  shell.screen.close()
  if (await shell.session.leave()) output.write('\nThe open transaction was rolled back.\n')
  return EXIT.done
}

/** Of a server that takes the token. Rejects with PercoliteError. */
async function versionOf(db: Database): Promise<string> {
  const { version } = await db.request<Schemas['Root']>('GET', '/')
  await db.request('POST', '/v1/completions', { sql: '' })
  return version
}

async function runScript(call: Call, streams: Streams, db: Database): Promise<ExitCode> {
  const { input, output, errors } = streams
  const shell = new Shell({
    db,
    screen: { ...screenOf(call, output, errors), pager: undefined, askForMore: async () => true },
    isInteractive: false,
    continues: call.isOn('continue'),
  })
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY, terminal: false })
  const failed = await shell.runLines(lines, 'line ')
  lines.close()
  shell.screen.close()
  const wasOpen = await shell.session.leave()
  if (wasOpen) errors.write('percolite: a transaction was open at the end, and was rolled back.\n')
  if (failed === undefined) return wasOpen ? EXIT.failed : EXIT.done
  const error = failed instanceof FileFailed ? failed.cause : failed
  return exitCodeOfServer(error, { mayWrite: mayWrite(shell.sent) })
}

function screenOf(
  call: Call,
  output: Streams['output'],
  errors: Streams['output'],
): Pick<ScreenDependencies, 'output' | 'errors' | 'view' | 'mode'> {
  return { output, errors, mode: modeOf(call, output), view: viewOptionsOf(call, output) }
}
