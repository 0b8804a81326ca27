// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises'

/** What `GET /v1/observers` says of an observer, as far as it is needed here. */
export type ObserverStatus = {
  readonly observer: string
  readonly backfilling: boolean
  readonly pending: number
  readonly running: number
  readonly waiting: number
  readonly runs: number
  readonly retries: number
  readonly conflicts: number
  readonly failures: number
  readonly deadLetters: { readonly count: number }
  readonly lastError?: { readonly key: readonly unknown[]; readonly error: string }
}

/** In the order in which a change comes to them. */
const OBSERVERS = [
  'track_dependencies',
  'render_page',
  'parse_page',
  'invert_links',
  'rank_page',
  'cluster_document',
  'elect',
  'index_words',
]

const LOOK_MS = 100
/** Functions of a server look for an observer that is new about twice a second. */
const UNATTENDED_MS = 3_000
/** Without one run that has committed. */
const STALLED_MS = 30_000

/**
 * Waits until no observer of this example has anything left to do. Throws when that cannot come: nobody
 * runs the observers, or one of them has given something up.
 */
export async function untilAtRest(
  url: string,
  signal: AbortSignal,
  onLook: (statuses: readonly ObserverStatus[]) => void = () => {},
): Promise<readonly ObserverStatus[]> {
  let runs = -1
  let progressMs = performance.now()
  for (;;) {
    const statuses = await readStatuses(url, signal)
    onLook(statuses)
    const runsNow = statuses.reduce((sum, status) => sum + status.runs, 0)
    // The figures of an answer are not all of one moment. Nothing ran since the answer before.
    if (runsNow === runs && statuses.every(isAtRest)) return statuses
    if (runsNow !== runs) progressMs = performance.now()
    const idleMs = performance.now() - progressMs
    for (const status of statuses) if (!isAtRest(status)) requireHope(status, idleMs)
    runs = runsNow
    await sleep(LOOK_MS, undefined, { signal })
  }
}

function isAtRest({ pending, running, backfilling }: ObserverStatus): boolean {
  return pending === 0 && running === 0 && !backfilling
}

function requireHope(status: ObserverStatus, idleMs: number): void {
  const { observer, running, waiting, deadLetters, lastError } = status
  if (deadLetters.count > 0) {
    const { key = [], error = 'an error' } = lastError ?? {}
    throw new Error(`${observer} has given up after ${error}, of ${key.join(', ')} among others`)
  }
  if (idleMs > UNATTENDED_MS && running === 0 && waiting === 0) {
    throw new Error(
      `nobody runs ${observer}: start the server with --observers examples/web-index/observers.ts`,
    )
  }
  if (idleMs > STALLED_MS) throw new Error(`no observer has done anything for ${idleMs / 1000} s`)
}

async function readStatuses(url: string, signal: AbortSignal): Promise<readonly ObserverStatus[]> {
  const response = await fetch(new URL('/v1/observers', url), { signal }).catch((error) => {
    signal.throwIfAborted()
    throw new Error(`no server answers at ${url}`, { cause: error })
  })
  if (!response.ok) throw new Error(`the server answers ${response.status} to /v1/observers`)
  const { observers: all } = (await response.json()) as { observers: ObserverStatus[] }
  const byName = new Map(all.map((status) => [status.observer, status]))
  return OBSERVERS.map((observer) => {
    const status = byName.get(observer)
    if (status === undefined) throw new Error(`there is no observer ${observer}: load a web first`)
    return status
  })
}
