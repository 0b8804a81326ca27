// SPDX-License-Identifier: Apache-2.0
import type {
  ResultColumn,
  ResultEvent,
  Row,
  RowKey,
  SnapshotRow,
  Subscription,
  SubscriptionEvent,
} from '../../client-sdk/client.ts'
import { UsageError } from '../../server/usage-error.ts'
import { type Call, type Command, EXIT, type ExitCode, type Streams } from '../command.ts'
import {
  connectionOf,
  SERVER_FLAGS,
  SERVER_FLAGS_FROM_ENVIRONMENT,
} from '../connection/server-connection.ts'
import { exitCodeOfServer } from '../connection/server-failure.ts'
import { failureView } from '../results/failure-view.ts'
import { rowJson, valueJson } from '../results/value-text.ts'
import { parametersOf } from './given-parameters.ts'

export const WATCH: Command = {
  name: 'watch',
  summary: 'print what commits change of the rows of a statement, as they do it',
  usage: [
    "[URL] 'SCAN …' [--mode rows|result] [--snapshot] [--since STAMP [--history ID] [--view ID] [--digest ID]]",
  ],
  details: [
    'Prints what commits change of the rows of a GET or SCAN as NDJSON, a line for each commit, until it is ended',
    'by Ctrl-C. Of a statement with LIMIT, ORDER BY, GROUP BY or LOOKUP, and with --mode result of any, it prints the',
    'list of its rows and then patches: at which row, how many rows go, and which come there. A lost connection is',
    'opened again, and nothing is left out. At the end the last stamp is printed on standard error: --since goes on',
    'behind it. Exit code 130: ended by Ctrl-C, 1: the server ended it, 3: no connection.',
  ],
  flags: {
    ...SERVER_FLAGS,
    param: {
      kind: 'list',
      default: '',
      meaning: 'value of a parameter: id=bob for :id, 1=bob for $1',
    },
    snapshot: { kind: 'switch', default: 'false', meaning: 'begin with the rows as they are' },
    since: { kind: 'name', default: '', meaning: 'go on behind this stamp' },
    history: { kind: 'name', default: '', meaning: 'the history that the stamp is of' },
    view: {
      kind: 'name',
      default: '',
      meaning: 'the view that the stamp is of, where a rule hides rows',
    },
    mode: { kind: 'name', default: '', meaning: 'rows: each by itself; result: the list of them' },
    digest: {
      kind: 'name',
      default: '',
      meaning: 'with --mode result, which list the stamp is of',
    },
    quiet: { kind: 'switch', default: 'false', meaning: 'say nothing of lost connections' },
  },
  fromEnvironment: SERVER_FLAGS_FROM_ENVIRONMENT,
  wordsMax: 2,
  run,
}

async function run(call: Call, { output, errors }: Streams): Promise<ExitCode> {
  const { db, words } = connectionOf(call, { wordsMax: 1 })
  const [sql] = words
  if (sql === undefined) throw new UsageError('It is percolite watch, and a GET or SCAN.')
  const ending = new AbortController()
  const end = () => ending.abort()
  const subscription = db.subscribe(sql, parametersOf(call.all('param')), {
    snapshot: call.isOn('snapshot'),
    mode: modeOf(call),
    since: sinceOf(call),
    history: call.given('history'),
    view: call.given('view'),
    digest: call.given('digest'),
    signal: ending.signal,
    onReconnect: ({ message }) => {
      if (!call.isOn('quiet')) errors.write(`percolite: ${message} Trying again.\n`)
    },
  })
  process.once('SIGINT', end)
  try {
    for await (const event of subscription) {
      const isResult = subscription.bookmark.mode === 'result'
      output.write(`${eventJson(event, subscription.columns, isResult)}\n`)
    }
    return EXIT.done
  } catch (error) {
    if (ending.signal.aborted) return EXIT.interrupted
    errors.write(failureView(error, sql))
    return exitCodeOfServer(error)
  } finally {
    process.off('SIGINT', end)
    db.close()
    errors.write(positionText(subscription))
  }
}

/** Throws UsageError. */
function sinceOf(call: Call): number | undefined {
  const text = call.given('since')
  if (text === undefined) return undefined
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text)
  throw new UsageError(`--since ${text}: it is a stamp, a number of microseconds since 1970.`)
}

/** Throws UsageError. */
function modeOf(call: Call): 'rows' | 'result' | undefined {
  const mode = call.given('mode')
  if (mode === undefined || mode === 'rows' || mode === 'result') return mode
  throw new UsageError(`--mode ${mode}: it is rows or result.`)
}

function positionText({ bookmark }: Subscription): string {
  const { mode, since, history, view, digest } = bookmark
  if (since === undefined) return ''
  const list = mode === 'result' ? { mode, digest } : {}
  const named = Object.entries({ since, history, view, ...list })
    .filter(([, value]) => value !== undefined)
    // A digest may begin with a hyphen.
    .map(([name, value]) => ` --${name}${name === 'digest' ? '=' : ' '}${value}`)
  return `percolite: go on with${named.join('')}\n`
}

/** An event of the client, with its rows as JSON. */
function eventJson(
  event: SubscriptionEvent | ResultEvent,
  columns: readonly ResultColumn[],
  isResult: boolean,
): string {
  switch (event.kind) {
    case 'rows': {
      if (isResult) return `{"kind":"rows","rows":${rowsJson(event.rows as Row[], columns)}}`
      const rows = (event.rows as readonly SnapshotRow[]).map(
        ({ key, row }) => `{"key":${keyJson(key)},"row":${rowJson(columns, row)}}`,
      )
      return `{"kind":"rows","rows":[${rows.join(',')}]}`
    }
    case 'patch': {
      const { timestamp, digest } = event
      const splices = event.splice.map(
        ([at, deleted, rows]) => `[${at},${deleted},${rowsJson(rows, columns)}]`,
      )
      const state = `"timestamp":${timestamp},"digest":${JSON.stringify(digest)}`
      return `{"kind":"patch",${state},"splice":[${splices.join(',')}]}`
    }
    case 'commit': {
      const changes = event.changes.map(({ op, key, row }) => {
        const shown = row === undefined ? '' : `,"row":${rowJson(columns, row)}`
        return `{"op":"${op}","key":${keyJson(key)}${shown}}`
      })
      return `{"kind":"commit","timestamp":${event.timestamp},"changes":[${changes.join(',')}]}`
    }
    default:
      return JSON.stringify(event)
  }
}

function rowsJson(rows: readonly Row[], columns: readonly ResultColumn[]): string {
  return `[${rows.map((row) => rowJson(columns, row)).join(',')}]`
}

/** No part of a key is JSON. */
function keyJson(key: RowKey): string {
  return `[${key.map((value) => valueJson('TEXT', value)).join(',')}]`
}
