// SPDX-License-Identifier: Apache-2.0
import {
  readDirectoryHistory,
  renewDirectoryHistory,
  type StoreHistory,
} from '../../storage/storage.ts'
import { commandFailure } from '../errors/command-failure.ts'

/** What `percolite history show` and `percolite history renew` are to look at. */
export type HistoryConfig = {
  readonly action: 'show' | 'renew'
  readonly dataDirectory: string
  readonly json: boolean
}

const EXIT_DONE = 0
const EXIT_FAILED = 1
const WHEN_LOCKED = 'Stop the server first; what GET /v1/status of it names as "history" is the id.'

type Output = { write(text: string): unknown }

/** Carries it out and resolves to the exit code. */
export async function runHistory(
  { action, dataDirectory, json }: HistoryConfig,
  { output, errors }: { readonly output: Output; readonly errors: Output },
): Promise<number> {
  try {
    const history =
      action === 'show'
        ? await readDirectoryHistory(dataDirectory)
        : (await renewDirectoryHistory(dataDirectory)).now
    output.write(json ? `${JSON.stringify(history)}\n` : historyText(history))
    return EXIT_DONE
  } catch (error) {
    errors.write(`percolite: ${commandFailure(error, WHEN_LOCKED)}\n`)
    return EXIT_FAILED
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
