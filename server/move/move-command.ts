// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises'
import { type MoveReport, openStorage, readDirectoryHistory } from '../../storage/storage.ts'
import { askServer } from '../ask-server.ts'
import { describeEngine, type SharedEngine } from '../engines/engine-config.ts'
import { openSharedEngine } from '../engines/open-engine.ts'
import { commandFailure } from '../errors/command-failure.ts'
import { UsageError } from '../usage-error.ts'
import type { TargetTexts } from './move-target.ts'
import { type MoveState, moveFacts } from './moves.ts'

/** What `percolite move` is to do. */
export type MoveConfig = {
  readonly from:
    | { readonly kind: 'directory'; readonly path: string }
    | { readonly kind: 'server'; readonly url: string }
  /** As it was written: a server reads it for itself. */
  readonly to: string
  readonly targetTexts: TargetTexts
  readonly target: SharedEngine
  /** Where clients are sent on to; empty when that is not known. */
  readonly targetUrl: string
  readonly follow: boolean
  readonly compare: boolean
  readonly json: boolean
}

const EXIT_DONE = 0
const EXIT_FAILED = 1
const WHEN_LOCKED =
  'A running server is moved with --from http://… [--follow]; it was started with --allow-move.'
/** Between two lines about how far it is. */
const SHOWN_EVERY_MS = 1_000

type Output = { write(text: string): unknown }

/** Carries it out and resolves to the exit code. What was not done is done by the same command again. */
export async function runMove(
  config: MoveConfig,
  { output, errors }: { readonly output: Output; readonly errors: Output },
): Promise<number> {
  const { from, json } = config
  const show = (state: MoveState) => {
    if (!json) errors.write(`${stateText(state)}\n`)
  }
  try {
    const report =
      from.kind === 'directory'
        ? await moveDirectory(from.path, config, show)
        : await moveServer(from.url, config, show)
    output.write(json ? `${JSON.stringify(report)}\n` : reportText(report, config))
    return EXIT_DONE
  } catch (error) {
    if (error instanceof UsageError) throw error
    errors.write(`percolite: ${commandFailure(error, WHEN_LOCKED)}\n`)
    return EXIT_FAILED
  }
}

async function moveDirectory(
  dataDirectory: string,
  { target, targetUrl, compare }: MoveConfig,
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

/** The server does it; here it is begun and watched. */
async function moveServer(
  url: string,
  { to, targetTexts, targetUrl, follow, compare }: MoveConfig,
  show: (state: MoveState) => void,
): Promise<MoveReport> {
  await ask(url, 'POST', { to, targetUrl, follow, compare, options: targetTexts })
  for (;;) {
    const state = (await ask(url, 'GET')) as MoveState
    show(state)
    if (state.phase === 'done' && state.report !== undefined) return state.report
    if (state.phase === 'failed') throw new Error(state.detail)
    await sleep(SHOWN_EVERY_MS)
  }
}

async function ask(url: string, method: 'GET' | 'POST', body?: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const request = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) }
  const { ok, status, text } = await askServer(url, '/v1/move', request)
  if (ok) return JSON.parse(text)
  const { detail } = JSON.parse(text) as { detail?: string }
  throw new Error(`${url} answers ${status}: ${detail ?? text.slice(0, 300)}`)
}

function stateText({ phase, rows, bytes }: MoveState): string {
  return `${phase}: ${rows} rows, ${Math.round(bytes / 1e6)} MB sent`
}

function reportText(report: MoveReport, { target, targetUrl }: MoveConfig): string {
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
