// SPDX-License-Identifier: Apache-2.0
import { isWebAddress } from '../server/config-values.ts'
import {
  type ConsistencyAnswer,
  consistencyAnswer,
  consistencyText,
} from '../server/operations/checks/consistency-answer.ts'
import type { SharedEngine } from '../server/operations/engines/engine-config.ts'
import { UsageError } from '../server/usage-error.ts'
import { checkBackup, checkDataDirectory } from '../storage/operations/operations.ts'
import { type Call, type Command, EXIT, type ExitCode, type Streams } from './command.ts'
import { CONNECTION_FLAGS, connectTo } from './connection/server-connection.ts'
import { exitCodeOf, failureText } from './failure.ts'
import {
  openSharedStorage,
  STORE_FLAG_NAMES,
  STORE_FLAGS,
  type StoreTarget,
  storeTargetOf,
} from './store-target.ts'

export const CHECK: Command = {
  name: 'check',
  summary: 'check every cell of a database',
  usage: [
    '[--data <text> | --engine <name> … | --url <text>] [--json]',
    '--backup <dir/name> [--json]',
  ],
  details: [
    'Checks every cell of a database. Exit code 0: no problems, 1: problems, 3: it could not be checked.',
  ],
  flags: {
    ...STORE_FLAGS,
    url: { kind: 'text', default: '', meaning: 'address of a running server to check instead' },
    ...CONNECTION_FLAGS,
    backup: { kind: 'text', default: '', meaning: 'backup to check instead: its hash, then all' },
    json: { kind: 'switch', default: 'false', meaning: 'print the report as JSON' },
  },
  fromEnvironment: STORE_FLAG_NAMES,
  wordsMax: 0,
  run,
}

type Target =
  | StoreTarget
  | { readonly kind: 'server'; readonly url: string }
  | { readonly kind: 'backup'; readonly folder: string }

async function run(call: Call, { output, errors }: Streams): Promise<ExitCode> {
  const target = targetOf(call)
  const json = call.isOn('json')
  try {
    const answer = await answerOf(
      target,
      call,
      (rows) => json || errors.write(`${rows} rows checked\n`),
    )
    output.write(json ? `${JSON.stringify(answer)}\n` : consistencyText(answer))
    return answer.sound ? EXIT.done : EXIT.failed
  } catch (error) {
    errors.write(`percolite: ${failureText(error, WHEN_LOCKED)}\n`)
    return target.kind === 'backup' ? exitCodeOf(error) : EXIT.unreachable
  }
}

const WHEN_LOCKED = 'A running server is checked with --url http://….'

/** Throws UsageError. */
function targetOf(call: Call): Target {
  const [folder, url] = [call.given('backup'), call.given('url')]
  if (folder !== undefined) {
    requireAlone(call, 'backup', [...STORE_FLAG_NAMES, 'url'])
    return { kind: 'backup', folder }
  }
  if (url === undefined) return storeTargetOf(call)
  requireAlone(call, 'url', STORE_FLAG_NAMES)
  if (isWebAddress(url)) return { kind: 'server', url }
  throw new UsageError(
    `--url ${url}: it is the address of a server, such as http://127.0.0.1:4270.`,
  )
}

/** Throws UsageError. */
function requireAlone(call: Call, name: string, others: readonly string[]): void {
  const other = others.find((one) => call.onCommandLine.has(one))
  if (other !== undefined) throw new UsageError(`--${other} and --${name} exclude each other.`)
}

async function answerOf(
  target: Target,
  call: Call,
  onProgress: (rows: number) => void,
): Promise<ConsistencyAnswer> {
  switch (target.kind) {
    case 'server':
      return await checkServer(target.url, call)
    case 'backup':
      return consistencyAnswer(await checkBackup(target.folder))
    case 'engine':
      return await checkEngine(target.engine, onProgress)
    case 'directory':
      return consistencyAnswer(await checkDataDirectory(target.path, { onProgress }))
  }
}

async function checkEngine(
  engine: SharedEngine,
  onProgress: (rows: number) => void,
): Promise<ConsistencyAnswer> {
  const storage = await openSharedStorage(engine)
  try {
    return consistencyAnswer(await storage.checkConsistency({ onProgress }))
  } finally {
    await storage.close()
  }
}

/** A check takes as long as it takes. */
const CHECK_MS_MAX = 2 ** 31 - 1

async function checkServer(url: string, call: Call): Promise<ConsistencyAnswer> {
  const db = connectTo(url, call)
  return await db.request('GET', '/v1/check', undefined, { timeoutMs: CHECK_MS_MAX })
}
