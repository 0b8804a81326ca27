// SPDX-License-Identifier: Apache-2.0
import { Counter, type Registry } from '@prometheus-io/client'
import {
  BATCH_ROUTES,
  type BatchRoute,
  COMMIT_PHASES,
  type CommitPhase,
  type Conflict,
  type Measures,
} from '../../../storage/storage.ts'
import type { ConflictLog } from '../conflicts/conflict-log.ts'
import type { DurationHistogram } from '../statistics/duration-histogram.ts'
import { DurationMetric } from './duration-metric.ts'

/** From a commit in memory to a disk that hangs. */
const BOUNDS_MS = [
  ...[0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50],
  ...[100, 250, 500, 1_000, 2_500, 5_000, 10_000],
]

/** So many tables have conflicts of their own, the first ones that had any: a label must not grow without end. */
const TABLES_MAX = 100
/** The label of all other tables, and of none: no table has this name. */
const OTHER_TABLES = ''

/** What the storage tells of its commits: how long they take, on what they wait, on what they conflict. */
export class CommitMetrics implements Measures {
  readonly #commits = new DurationMetric({
    name: 'percolite_commit_duration_seconds',
    help: 'How long a commit took that had something to write, whether it was committed or refused.',
    boundsMs: BOUNDS_MS,
  })
  readonly #commit: DurationHistogram
  readonly #phases = new DurationMetric({
    name: 'percolite_commit_phase_duration_seconds',
    help: 'What commits wait for; group_wait and sync are recorded once for each group of commits.',
    label: 'phase',
    boundsMs: BOUNDS_MS,
  })
  readonly #byPhase: Readonly<Record<CommitPhase, DurationHistogram>>
  readonly #batches = new Map(BATCH_ROUTES.map((route) => [route, 0]))
  readonly #conflicts = new Counter({
    name: 'percolite_conflicts_total',
    help: 'Commits that were refused because another transaction came first.',
    labelNames: ['table', 'kind'],
    registers: [],
  })
  readonly #tables = new Set<string>()
  /** What the conflicts were, each by itself. */
  readonly log: ConflictLog

  constructor(log: ConflictLog) {
    this.log = log
    this.#commit = this.#commits.of()
    const phases = COMMIT_PHASES.map((phase) => [phase, this.#phases.of(phase)])
    this.#byPhase = Object.fromEntries(phases)
  }

  register(registry: Registry): void {
    this.#commits.register(registry)
    this.#phases.register(registry)
    const batches = this.#batches
    new Counter({
      name: 'percolite_batches_total',
      help: 'Batches that were written to the disk, by where they went first.',
      labelNames: ['route'],
      registers: [registry],
      collect() {
        this.reset()
        for (const [route, count] of batches) this.inc({ route }, count)
      },
    })
    registry.registerMetric(this.#conflicts)
  }

  commitTook(ms: number): void {
    this.#commit.add(ms)
  }

  phaseTook(phase: CommitPhase, ms: number): void {
    this.#byPhase[phase].add(ms)
  }

  batchesRouted(route: BatchRoute, count: number): void {
    this.#batches.set(route, (this.#batches.get(route) ?? 0) + count)
  }

  conflicted(conflict: Conflict): void {
    this.#conflicts.inc({ kind: conflict.kind, table: this.#labelOf(conflict.table) })
    this.log.add(conflict)
  }

  #labelOf(table: string | undefined): string {
    if (table === undefined) return OTHER_TABLES
    if (this.#tables.size < TABLES_MAX) this.#tables.add(table)
    return this.#tables.has(table) ? table : OTHER_TABLES
  }
}
