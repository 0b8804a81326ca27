// SPDX-License-Identifier: Apache-2.0
import type { SharedEngine } from '../server/operations/engines/engine-config.ts'
import { openSharedEngine } from '../server/operations/engines/open-engine.ts'
import { UsageError } from '../server/usage-error.ts'
import {
  readDirectoryHistory,
  readStoreHistory,
  renewDirectoryHistory,
  renewStoreHistory,
  type StoreHistory,
} from '../storage/storage.ts'
import { type Call, type Command, EXIT, type ExitCode, type Streams } from './command.ts'
import { exitCodeOf, failureText } from './failure.ts'
import { STORE_FLAG_NAMES, STORE_FLAGS, storeTargetOf } from './store-target.ts'

export const HISTORY: Command = {
  name: 'history',
  summary: "show which timestamps are a database's own, or renew its history",
  usage: ['show|renew [--data <text> | --engine <name> …] [--json]'],
  details: [
    "Shows which timestamps are the database's own, or renews its history, as has to be done after a copy",
    'of it was put back: of a store over the network while no server uses it. Exit code 0: done, 1 or 3: not',
    'done, as there is no database, or a server uses the folder.',
  ],
  flags: {
    ...STORE_FLAGS,
    json: { kind: 'switch', default: 'false', meaning: 'print the history as JSON' },
  },
  fromEnvironment: STORE_FLAG_NAMES,
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
  const target = storeTargetOf(call)
  try {
    const history =
      target.kind === 'directory'
        ? await ofDirectory(target.path, action)
        : await ofEngine(target.engine, action)
    output.write(call.isOn('json') ? `${JSON.stringify(history)}\n` : historyText(history))
    return EXIT.done
  } catch (error) {
    errors.write(`percolite: ${failureText(error, WHEN_LOCKED)}\n`)
    return exitCodeOf(error)
  }
}

async function ofDirectory(path: string, action: 'show' | 'renew'): Promise<StoreHistory> {
  if (action === 'show') return await readDirectoryHistory(path)
  return (await renewDirectoryHistory(path)).now
}

async function ofEngine(engine: SharedEngine, action: 'show' | 'renew'): Promise<StoreHistory> {
  const cellStore = await openSharedEngine(engine)
  try {
    if (action === 'show') return await readStoreHistory(cellStore)
    return (await renewStoreHistory(cellStore)).now
  } finally {
    await cellStore.close()
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
