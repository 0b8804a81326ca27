// SPDX-License-Identifier: Apache-2.0
import type { Clock, Storage } from '../../../storage/storage.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import type { EndedTransactions } from '../../requests/transactions/ended-transactions.ts'
import type { ConflictLog } from '../conflicts/conflict-log.ts'
import { ActivityRing, type StepFigures } from './activity-ring.ts'
import { feedLagMs } from './last-answer.ts'
import type { RequestMetrics } from './request-metrics.ts'

const STEP_MS = 1_000
/** For so long after somebody has looked, the store is asked what it does not tell by itself. */
const LOOKED_MS = 60_000

type ActivityDependencies = {
  readonly storage: Storage
  readonly clock: Clock
  readonly ended: EndedTransactions
  readonly conflicts: ConflictLog
  readonly changes: { readonly toldCount: number }
  readonly requests: RequestMetrics
}

/** What is counted since the start. */
type Counts = Readonly<Record<'commits' | 'reads' | 'conflicts' | 'changes', number>>

/**
 * The last ten minutes, second by second, so that a page has them as soon as it is opened. One timer reads what is
 * counted anyway: a request pays nothing for it.
 */
export class Activity {
  readonly #deps: ActivityDependencies
  readonly #ring = new ActivityRing(SERVER_LIMITS.activityStepsMax)
  readonly #startedMs: number
  readonly #startedMicros: number
  readonly #closing = new AbortController()
  #counts: Counts
  #lookedMs = Number.NEGATIVE_INFINITY
  #lag = Number.NaN
  #isLagAsked = false

  constructor(deps: ActivityDependencies) {
    this.#deps = deps
    this.#startedMs = deps.clock.monotonicMs()
    this.#startedMicros = deps.clock.wallMicros()
    this.#counts = this.#countsNow()
    void this.#run()
  }

  close(): void {
    this.#closing.abort()
  }

  /** `Activity` of `openapi.yaml`: the steps that ended after `since`, which is an earlier `until`; without it all. */
  answer(since = 0) {
    this.#lookedMs = this.#deps.clock.monotonicMs()
    const ring = this.#ring
    const known = Math.round((since - this.#startedMicros) / (STEP_MS * 1000))
    // One of another server, or of before the clock was set, names no step of this ring.
    const first = known > ring.steps ? ring.first : Math.max(ring.first, known)
    const stampOf = (step: number) => this.#startedMicros + step * STEP_MS * 1000
    const from = new Date(Math.floor(stampOf(first) / 1000)).toISOString()
    return { stepMs: STEP_MS, from, until: stampOf(ring.steps), series: ring.from(first) }
  }

  async #run(): Promise<void> {
    const { clock } = this.#deps
    const { signal } = this.#closing
    const ring = this.#ring
    while (!signal.aborted) {
      const nextMs = this.#startedMs + (ring.steps + 1) * STEP_MS
      const left = Math.max(0, nextMs - clock.monotonicMs())
      if (!(await clock.sleep(left, signal).then(TRUE, FALSE))) return
      const passed = Math.floor((clock.monotonicMs() - this.#startedMs) / STEP_MS)
      // Where the process stood still, nobody knows when things happened.
      ring.skip(Math.max(0, passed - ring.steps - 1))
      ring.add(this.#figures())
    }
  }

  #figures(): StepFigures {
    const { storage, requests } = this.#deps
    const { p50Ms, p99Ms, count } = requests.sinceLastStep()
    const counts = this.#countsNow()
    const since = (name: keyof Counts) => counts[name] - this.#counts[name]
    const figures = {
      commits: since('commits'),
      reads: since('reads'),
      conflicts: since('conflicts'),
      requests: count,
      changes: since('changes'),
      feedLagMs: rounded(this.#feedLagMs()),
      p50Ms: rounded(p50Ms),
      p99Ms: rounded(p99Ms),
      logBytes: storage.health.disk.status?.logBytes ?? Number.NaN,
    }
    this.#counts = counts
    return figures
  }

  #countsNow(): Counts {
    const { ended, conflicts, changes } = this.#deps
    const { committed: commits, read: reads } = ended.counts
    return { commits, reads, conflicts: conflicts.total, changes: changes.toldCount }
  }

  /** A store that servers share has to be asked, which is for those who look. It is told by the next step. */
  #feedLagMs(): number {
    const { storage, clock } = this.#deps
    const now = storage.feed.lagMicros()
    if (now !== undefined) return now / 1000
    const known = this.#lag
    this.#lag = Number.NaN
    const isLooked = clock.monotonicMs() - this.#lookedMs < LOOKED_MS
    if (isLooked && !this.#isLagAsked) void this.#askLag()
    return known
  }

  async #askLag(): Promise<void> {
    const { storage } = this.#deps
    this.#isLagAsked = true
    try {
      this.#lag = await feedLagMs(storage)
    } catch {
      // It is not known, and whoever needs the store hears why.
    } finally {
      this.#isLagAsked = false
    }
  }
}

const TRUE = () => true
const FALSE = () => false

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
