// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../client-sdk/client.ts'
import { checkedUrl, isWebAddress } from '../server/config-values.ts'
import { FLAGS } from '../server/flags.ts'
import { describeEngine, type SharedEngine } from '../server/operations/engines/engine-config.ts'
import { openSharedEngine } from '../server/operations/engines/open-engine.ts'
import {
  moveTargetOf,
  TARGET_FLAGS,
  type TargetTexts,
} from '../server/operations/move/move-target.ts'
import { type MoveState, moveFacts } from '../server/operations/move/moves.ts'
import { UsageError } from '../server/usage-error.ts'
import type { MoveReport } from '../storage/operations/operations.ts'
import { openStorage, readDirectoryHistory } from '../storage/storage.ts'
import { type Call, type Command, EXIT, type ExitCode, type Streams } from './command.ts'
import { CONNECTION_FLAGS, connectTo } from './connection/server-connection.ts'
import { exitCodeOf, failureText } from './failure.ts'

export const MOVE: Command = {
  name: 'move',
  summary: 'move a database into a store over the network, with all timestamps',
  usage: ['--from <text> --to <text> [--target-url <text>] [--follow]'],
  details: [
    'Moves a database into a store over the network, with all timestamps. The old one is read-only from',
    'then on. A move that was cut off is repeated with the same flags, and goes on where it was.',
    'Exit code 0: moved, 1 or 3: not moved, and the old database is as it was.',
  ],
  flags: {
    from: {
      kind: 'text',
      default: './data',
      meaning: 'folder of a database, or address of a server',
    },
    to: {
      kind: 'text',
      default: '',
      meaning: 'bigtable:project/instance/table or etcd:host:port,host:port,host:port',
    },
    'target-url': {
      kind: 'name',
      default: '',
      meaning: 'address of a server of the other store, to which writers are sent on',
    },
    follow: {
      kind: 'switch',
      default: 'false',
      meaning: 'let the running server take writes until the end',
    },
    'no-compare': {
      kind: 'switch',
      default: 'false',
      meaning: 'do not compare all cells of both stores before the end',
    },
    json: { kind: 'switch', default: 'false', meaning: 'print the report as JSON' },
    ...CONNECTION_FLAGS,
    ...Object.fromEntries(TARGET_FLAGS.map((name) => [name, FLAGS[name]])),
  },
  fromEnvironment: [],
  wordsMax: 0,
  run,
}

type WantedMove = {
  readonly from:
    | { readonly kind: 'directory'; readonly path: string }
    | { readonly kind: 'server'; readonly db: Database }
  /** As it was written: a server reads it for itself. */
  readonly to: string
  readonly targetTexts: TargetTexts
  readonly target: SharedEngine
  /** Where clients are sent on to; empty when that is not known. */
  readonly targetUrl: string
  readonly follow: boolean
  readonly compare: boolean
}

const WHEN_LOCKED =
  'A running server is moved with --from http://… [--follow]; it was started with --allow-move.'
const STARTED_AGAIN =
  'The server was started again and no longer moves its database. The same command goes on where it was.'
const NO_REPORT = 'moved; the server was started again since then, so there is no report\n'
/** Between two lines about how far it is. */
const SHOWN_EVERY_MS = 1_000

/** What was not done is done by the same command again. */
async function run(call: Call, { output, errors }: Streams): Promise<ExitCode> {
  const wanted = wantedMove(call)
  const { from } = wanted
  const json = call.isOn('json')
  const show = (state: MoveState) => {
    if (!json) errors.write(`${stateText(state)}\n`)
  }
  try {
    const report =
      from.kind === 'directory'
        ? await moveDirectory(from.path, wanted, show)
        : await moveServer(from.db, wanted, show)
    if (json) output.write(`${JSON.stringify(report ?? {})}\n`)
    else output.write(report === undefined ? NO_REPORT : reportText(report, wanted))
    return EXIT.done
  } catch (error) {
    if (error instanceof UsageError) throw error
    errors.write(`percolite: ${failureText(error, WHEN_LOCKED)}\n`)
    return exitCodeOf(error)
  }
}

/** Throws UsageError. */
function wantedMove(call: Call): WantedMove {
  const from = call.text('from')
  const isServer = isWebAddress(from)
  const follow = call.isOn('follow')
  if (follow && !isServer) {
    throw new UsageError(
      '--follow is for a running server: nobody writes into a folder that is moved. Give --from http://….',
    )
  }
  const targetTexts = call.givenOf(TARGET_FLAGS)
  const to = call.text('to')
  if (to === '') {
    throw new UsageError(
      '--to says where it goes: bigtable:project/instance/table or etcd:host:port,host:port,host:port.',
    )
  }
  return {
    from: isServer
      ? { kind: 'server', db: connectTo(from, call) }
      : { kind: 'directory', path: from },
    ...{ to, targetTexts, target: moveTargetOf(to, targetTexts, call.environment), follow },
    targetUrl: checkedUrl('target-url', call.text('target-url')) ?? '',
    compare: !call.isOn('no-compare'),
  }
}

async function moveDirectory(
  dataDirectory: string,
  { target, targetUrl, compare }: WantedMove,
  show: (state: MoveState) => void,
): Promise<MoveReport> {
  const ending = new AbortController()
  const stop = () =>
    ending.abort(new Error('It was stopped. The same command goes on where it was.'))
  process.once('SIGINT', stop).once('SIGTERM', stop)
  // Refuses a folder that has no database, where opening it would make one.
  await readDirectoryHistory(dataDirectory)
  const cellStore = await openSharedEngine(target)
  try {
    const storage = await openStorage({ engine: 'sqlite', dataDirectory })
    try {
      let shownMs = 0
      return await storage.moveTo(cellStore, {
        ...{ to: describeEngine(target), url: targetUrl, follow: false, compare },
        signal: ending.signal,
        onProgress: (progress) => {
          if (Date.now() - shownMs < SHOWN_EVERY_MS) return
          shownMs = Date.now()
          show(progress)
        },
      })
    } finally {
      await storage.close()
    }
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
    await cellStore.close()
  }
}

/** The server does it; here it is begun and watched. Undefined where the one that ended it was stopped since. */
async function moveServer(
  db: Database,
  { to, targetTexts, targetUrl, follow, compare }: WantedMove,
  show: (state: MoveState) => void,
): Promise<MoveReport | undefined> {
  const wanted = { to, targetUrl, follow, compare, options: targetTexts }
  await db.request('POST', '/v1/move', wanted)
  for (;;) {
    const state = await db.request<MoveState>('GET', '/v1/move')
    show(state)
    if (state.phase === 'done') return state.report
    if (state.phase === 'failed') throw new Error(state.detail)
    if (state.phase === 'none') throw new Error(STARTED_AGAIN)
    await sleep(SHOWN_EVERY_MS)
  }
}

function stateText({ phase, rows, bytes }: MoveState): string {
  return `${phase}: ${rows} rows, ${Math.round(bytes / 1e6)} MB sent`
}

function reportText(report: MoveReport, { target, targetUrl }: WantedMove): string {
  const { rows, spaces, closedMs, elapsedMs, at } = report
  const lines = [
    `moved to ${describeEngine(target)}: ${rows} rows in ${seconds(elapsedMs)}, no commits for ${seconds(closedMs)}`,
    ...moveFacts(spaces),
    `the newest timestamp is ${at}; the old database is read-only from now on`,
    targetUrl === ''
      ? 'writers are answered 421 moved, without an address: --target-url was not given'
      : `writers are sent on to ${targetUrl}`,
  ]
  return `${lines.join('\n')}\n`
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
