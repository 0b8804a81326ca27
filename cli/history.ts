// SPDX-License-Identifier: Apache-2.0
import { FLAGS } from '../server/flags.ts'
import { UsageError } from '../server/usage-error.ts'
import {
  readDirectoryHistory,
  renewDirectoryHistory,
  type StoreHistory,
} from '../storage/storage.ts'
import { type Call, type Command, EXIT, type ExitCode, type Streams } from './command.ts'
import { exitCodeOf, failureText } from './failure.ts'

export const HISTORY: Command = {
  name: 'history',
  summary: "show which timestamps are a database's own, or renew its history",
  usage: ['show|renew [--data <text>] [--json]'],
  details: [
    "Shows which timestamps are the database's own, or renews its history, as has to be done after a copy",
    'of it was put back. Exit code 0: done, 3: no database, or a server uses the folder.',
  ],
  flags: {
    data: FLAGS.data,
    json: { kind: 'switch', default: 'false', meaning: 'print the history as JSON' },
  },
  fromEnvironment: ['data'],
  wordsMax: 1,
  run,
}

const WHEN_LOCKED = 'Stop the server first; what GET /v1/status of it names as "history" is the id.'

async function run(call: Call, { output, errors }: Streams): Promise<ExitCode> {
  const [action] = call.words
  if (action !== 'show' && action !== 'renew') {
    const unknown = action === undefined ? 'Nothing' : `"${action.slice(0, 100)}"`
    throw new UsageError(`${unknown} is asked of the history; it is show or renew.`)
  }
  const dataDirectory = call.text('data')
  try {
    const history =
      action === 'show'
        ? await readDirectoryHistory(dataDirectory)
        : (await renewDirectoryHistory(dataDirectory)).now
    output.write(call.isOn('json') ? `${JSON.stringify(history)}\n` : historyText(history))
    return EXIT.done
  } catch (error) {
    errors.write(`percolite: ${failureText(error, WHEN_LOCKED)}\n`)
    return exitCodeOf(error)
  }
}

function historyText({ id, from, gaps }: StoreHistory): string {
  const lines = [`history ${id}`, `begins at ${momentText(from)}`]
  for (const { after, until } of gaps) {
    lines.push(`has nothing after ${momentText(after)} until ${momentText(until)}`)
  }
  return `${lines.join('\n')}\n`
}

function momentText(timestamp: number): string {
  if (timestamp === 0) return '0, before everything'
  return `${timestamp} (${new Date(timestamp / 1000).toISOString()})`
}
