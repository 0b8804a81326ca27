// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../client-sdk/client.ts'
import { FLAGS } from '../server/flags.ts'
import { UsageError } from '../server/usage-error.ts'
import { promoteDirectory } from '../storage/operations/operations.ts'
import { type Call, type Command, EXIT, type ExitCode, type Streams } from './command.ts'
import { CONNECTION_FLAGS, connectTo } from './connection/server-connection.ts'
import { exitCodeOf, failureText } from './failure.ts'

export const PROMOTE: Command = {
  name: 'promote',
  summary: 'make a standby the server that takes writes',
  usage: ['--url <text> | --data <text>'],
  details: [
    'Makes a standby the server that takes writes: a running one at the same address, or the folder of one that is',
    'stopped. First make sure that the former primary is down. Exit code 0: promoted, 1 or 3: not promoted.',
  ],
  flags: {
    url: { kind: 'text', default: '', meaning: 'address of the running standby' },
    data: {
      ...FLAGS.data,
      default: '',
      kind: 'name',
      meaning: 'folder of a standby that is stopped',
    },
    ...CONNECTION_FLAGS,
  },
  // Of the two servers of an environment, no one is promoted by accident.
  fromEnvironment: [],
  wordsMax: 0,
  run,
}

const WHEN_LOCKED = 'A running standby is promoted with --url http://….'
const LOOK_MS = 200
/** Closing waits for what is running, and a large store takes a while to open. */
const PROMOTION_MS_MAX = 5 * 60_000

async function run(call: Call, { output, errors }: Streams): Promise<ExitCode> {
  const [url, data] = [call.text('url'), call.text('data')]
  if ((url === '') === (data === '')) {
    throw new UsageError('It is --url and a running standby, or --data and the folder of one.')
  }
  try {
    if (url === '') {
      const former = await promoteDirectory(data)
      output.write(`promoted: ${data} follows ${former} no more\n`)
      output.write(`start it with percolite serve --data ${data}, without --follow\n`)
    } else {
      const former = await promoteServer(connectTo(url, call))
      output.write(`promoted: ${url} takes writes, in place of ${former}\n`)
      output.write('before its next start, take --follow out of its flags\n')
    }
    return EXIT.done
  } catch (error) {
    if (error instanceof UsageError) throw error
    errors.write(`percolite: ${failureText(error, WHEN_LOCKED)}\n`)
    return exitCodeOf(error)
  }
}

/** Resolves to the former primary when the server takes writes. */
async function promoteServer(db: Database): Promise<string> {
  const { primary } = await db.request<{ readonly primary: string }>(
    'POST',
    '/v1/replication/promote',
  )
  const endMs = performance.now() + PROMOTION_MS_MAX
  for (;;) {
    await sleep(LOOK_MS)
    if ((await roleOf(db)) === 'primary') return primary
    if (performance.now() > endMs)
      throw new Error('It was ordered, and is not done after 5 minutes.')
  }
}

/** Undefined while it opens itself again. */
async function roleOf(db: Database): Promise<string | undefined> {
  try {
    return (await db.request<{ readonly role: string }>('GET', '/v1/replication')).role
  } catch {
    return undefined
  }
}
