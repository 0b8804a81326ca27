// SPDX-License-Identifier: Apache-2.0
import { Counter, Gauge, Registry } from '@prometheus-io/client'
import type { Clock, Storage } from '../../../storage/storage.ts'
import type { SharedBound } from '../../guard/budgets/shared-bound.ts'
import type { Shares } from '../../guard/budgets/shares.ts'
import type { ScheduleTimer } from '../../live/observers/schedule-timer.ts'
import type { Relays } from '../../live/relays/relays.ts'
import type { Subscriptions } from '../../live/subscriptions/subscriptions.ts'
import type { EndedTransactions } from '../../requests/transactions/ended-transactions.ts'
import type { TransactionSessions } from '../../requests/transactions/transaction-sessions.ts'
import type { Following } from '../replication/standby-state.ts'
import { Activity } from './activity.ts'
import type { CommitMetrics } from './commit-metrics.ts'
import { ForwardingMetrics } from './forwarding-metrics.ts'
import { snakeCase } from './metric-name.ts'
import { ObserverMetrics } from './observer-metrics.ts'
import { addPrimaryMetrics } from './primary-metrics.ts'
import { ProcessMetrics } from './process-metrics.ts'
import { RelayMetrics } from './relay-metrics.ts'
import { RequestMetrics } from './request-metrics.ts'
import { ScheduleMetrics } from './schedule-metrics.ts'
import { addStandbyMetrics } from './standby-metrics.ts'
import { StoreMetrics } from './store-metrics.ts'

type MetricsDependencies = {
  readonly storage: Storage
  readonly clock: Clock
  readonly sessions: Pick<TransactionSessions, 'count'>
  readonly live: {
    readonly subscriptions: Subscriptions
    readonly sockets: { readonly count: number }
  }
  readonly relays: Pick<Relays, 'counts'>
  readonly shares: Shares
  readonly schedules: ScheduleTimer
  readonly ended: EndedTransactions
  readonly commits: CommitMetrics
  readonly version: string
  readonly engine: string
  /** Where the server follows another. */
  readonly following?: Following | undefined
}

/** The figures of one server. Most are found out when they are asked for; requests and commits tell theirs. */
export class Metrics {
  readonly #registry = new Registry()
  readonly requests: RequestMetrics
  readonly forwarded: ForwardingMetrics
  readonly #store: StoreMetrics
  readonly #observers: ObserverMetrics
  readonly #schedules: ScheduleMetrics
  readonly #relays: RelayMetrics
  readonly #process: ProcessMetrics
  /** The last ten minutes of some of them. */
  readonly activity: Activity

  constructor(deps: MetricsDependencies) {
    const { storage, clock, sessions, live, shares, ended, commits, version, engine } = deps
    const registers = [this.#registry]
    const labelNames = ['version', 'engine']
    const help = 'Always 1; its labels say what is running.'
    new Gauge({ name: 'percolite_build_info', help, labelNames, registers }).set(
      { version, engine },
      1,
    )
    this.#count('interactive_transactions', 'Open transactions over several requests.', sessions)
    this.#count('subscriptions', 'Subscriptions, of sockets and of NDJSON.', live.subscriptions)
    this.#count('sockets', 'Open WebSockets.', live.sockets)
    this.#countTold(live.subscriptions)
    this.#countEvaluations(live.subscriptions.results)
    commits.register(this.#registry)
    if (deps.following !== undefined) addStandbyMetrics(this.#registry, deps.following.state)
    if (storage.primary !== undefined) addPrimaryMetrics(this.#registry, storage.primary)
    addShareMetrics(this.#registry, shares.all)
    this.requests = new RequestMetrics(this.#registry)
    this.forwarded = new ForwardingMetrics(this.#registry)
    this.#store = new StoreMetrics(this.#registry, storage, ended)
    this.#observers = new ObserverMetrics(this.#registry, storage)
    this.#schedules = new ScheduleMetrics(this.#registry, deps)
    this.#relays = new RelayMetrics(this.#registry, storage, deps.relays)
    this.#process = new ProcessMetrics(this.#registry)
    const counted = { ended, conflicts: commits.log, changes: live.subscriptions }
    this.activity = new Activity({ storage, clock, requests: this.requests, ...counted })
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** The text format of Prometheus. */
  async text(): Promise<string> {
    this.#process.collect()
    await this.#store.collect()
    await this.#observers.collect()
    await this.#schedules.collect()
    await this.#relays.collect()
    return await this.#registry.metrics()
  }

  close(): void {
    this.activity.close()
    this.#process.close()
  }

  #countTold(subscriptions: { readonly toldCount: number }): void {
    const help = 'Changes that were sent to subscriptions, of one to each.'
    this.#countUp('changes_told_total', help, () => subscriptions.toldCount)
  }

  #countEvaluations(results: { readonly count: number; readonly evaluations: number }): void {
    this.#count('live_results', 'Answers that are told as lists, each once.', results)
    this.#countUp('live_evaluations_total', 'Evaluations of them.', () => results.evaluations)
  }

  #countUp(name: string, help: string, figure: () => number): void {
    new Counter({
      name: `percolite_${name}`,
      help,
      registers: [this.#registry],
      collect() {
        this.reset()
        this.inc(figure())
      },
    })
  }

  #count(name: string, help: string, counted: { readonly count: number }): void {
    addGauge(this.#registry, { name, help }, () => counted.count)
  }
}

/** A figure that is found out when it is asked for. */
function addGauge(
  registry: Registry,
  { name, help }: { readonly name: string; readonly help: string },
  figure: () => number,
): void {
  new Gauge({
    name: `percolite_${name}`,
    help,
    registers: [registry],
    collect() {
      this.set(figure())
    },
  })
}

/** Of each bound that all clients share, what they hold together, and how much there is. */
function addShareMetrics(registry: Registry, bounds: readonly SharedBound[]): void {
  for (const bound of bounds) {
    const { limit, max, what } = bound
    const name = snakeCase(limit.replace(/Max$/, ''))
    const held = `${what}, of all clients together; see ${limit}.`
    addGauge(registry, { name: `shared_${name}`, help: held }, () => bound.held)
    const help = `The bound of percolite_shared_${name}.`
    addGauge(registry, { name: `shared_max_${name}`, help }, () => max)
  }
}
