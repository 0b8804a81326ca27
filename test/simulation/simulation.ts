// SPDX-License-Identifier: Apache-2.0
import { AsyncLocalStorage } from 'node:async_hooks'
import { keyString } from '../../storage/cells/row-key.ts'
import { InvariantViolation } from '../../storage/invariant.ts'
import { checkConsistency } from '../../storage/operations/consistency/consistency-check.ts'
import type { ObserverDefinition } from '../../storage/tables/tables.ts'
import { readOracleState } from '../../storage/transactions/oracle/oracle-row.ts'
import { SeededRandomness } from '../seeded-randomness.ts'
import { checkCells, locksIn, readAllRows } from './checkers/cell-invariants.ts'
import { CommitLog } from './checkers/commit-log.ts'
import { checkFeeds } from './checkers/feed-checker.ts'
import { History } from './checkers/history.ts'
import { checkIdentities } from './checkers/identity-checker.ts'
import { checkIndexes, indexesBeingBuilt } from './checkers/index-checker.ts'
import {
  checkListAppends,
  isForbidden,
  type ListTransaction,
} from './checkers/list-append-checker.ts'
import { checkNotified, checkObservers, isBackfilling } from './checkers/observer-checker.ts'
import { checkOutcomes } from './checkers/outcome-checker.ts'
import { checkSnapshots } from './checkers/snapshot-checker.ts'
import { type Violation, Violations } from './checkers/violations.ts'
import { EmbeddedSite } from './simulated/embedded-site.ts'
import { FaultMenu } from './simulated/faults.ts'
import type { Gateway, Sender } from './simulated/gateway.ts'
import { Scheduler } from './simulated/scheduler.ts'
import { SharedSite } from './simulated/shared-site.ts'
import type { Site } from './simulated/site.ts'
import { Counters } from './sometimes.ts'
import { drawSwarm, type Swarm } from './swarm.ts'
import { askOnce, type ClientWorld, runClient, runTransaction } from './workloads/client.ts'
import { FeedReader } from './workloads/feed-reader.ts'
import { runObserver } from './workloads/observer-worker.ts'
import { resume } from './workloads/observer-workload.ts'
import { WATCHERS } from './workloads/watched-table.ts'
import type { Work } from './workloads/work.ts'
import { setUp, TRANSACTIONS } from './workloads/workloads.ts'

export type SimulationResult = {
  readonly seed: number
  readonly swarm: Swarm
  readonly traceHash: string
  readonly events: number
  readonly virtualMs: number
  readonly violations: readonly Violation[]
  readonly counters: Readonly<Record<string, number>>
}

export type SimulationOptions = {
  /** Instead of the configuration that the seed draws; for shrinking. */
  readonly swarm?: Swarm
  readonly trace?: (line: string) => void
}

/** One run of the real storage layer under simulated time and faults: the same seed, the same run. */
export async function simulate(
  seed: number,
  options: SimulationOptions = {},
): Promise<SimulationResult> {
  const swarm = options.swarm ?? drawSwarm(seed)
  const run = new SimulationRun(seed, swarm, options.trace)
  await run.run()
  return run.result(seed)
}

class SimulationRun {
  readonly #swarm: Swarm
  readonly #violations = new Violations()
  readonly #counters = new Counters()
  readonly #history = new History()
  readonly #log = new CommitLog(this.#violations)
  readonly #scheduler: Scheduler
  readonly #faults: FaultMenu
  readonly #site: Site
  readonly #world: ClientWorld
  readonly #stopObserving = new AbortController()
  #observing: Promise<void> = Promise.resolve()
  readonly #feedReaders: readonly FeedReader[]

  constructor(seed: number, swarm: Swarm, trace?: (line: string) => void) {
    this.#swarm = swarm
    const random = new SeededRandomness(seed)
    const scheduler = new Scheduler(trace, swarm.topology === 'embedded' ? IDLE_TURNS_MAX : 0)
    this.#scheduler = scheduler
    this.#faults = new FaultMenu(random, swarm)
    const world = {
      scheduler,
      random,
      faults: this.#faults,
      counters: this.#counters,
      sender: new AsyncLocalStorage<Sender>(),
    }
    const parts = {
      world,
      swarm,
      log: this.#log,
      history: this.#history,
      violations: this.#violations,
    }
    this.#site = swarm.topology === 'embedded' ? new EmbeddedSite(parts) : new SharedSite(parts)
    this.#world = {
      scheduler,
      random,
      swarm,
      faults: this.#faults,
      gateways: this.#site.gateways,
      history: this.#history,
      log: this.#log,
      counters: this.#counters,
      violations: this.#violations,
    }
    const { readers } = swarm.feed
    this.#feedReaders = Array.from({ length: readers }, () => new FeedReader(this.#world))
  }

  async run(): Promise<void> {
    try {
      await this.#until(this.#begin())
      this.#faults.start()
      const { clients } = this.#swarm
      this.#observing = this.#observe()
      const working = Array.from({ length: clients }, (_, index) => runClient(this.#world, index))
      const reading = this.#feedReaders.map((reader) => reader.run())
      await this.#until(Promise.all(working))
      this.#faults.stop()
      for (const reader of this.#feedReaders) reader.stop()
      await this.#until(Promise.all(reading))
      await this.#until(this.#comeToRest())
      await this.#until(Promise.all(this.#site.gateways.map((gateway) => gateway.close())))
    } catch (error) {
      this.#violations.add('liveness', String(error))
    }
    try {
      await this.#judge()
    } catch (error) {
      // What a checker cannot read was not written as it should have been.
      if (!(error instanceof InvariantViolation)) throw error
      this.#violations.add(error.rule, error.message)
    }
  }

  async #judge(): Promise<void> {
    await this.#checkCells()
    const transactions = this.#history.transactions
    checkSnapshots(transactions, this.#log, this.#violations)
    const lines = this.#feedReaders.flatMap((reader) => reader.lines)
    checkFeeds(lines, this.#log, this.#violations)
    await this.#checkLog()
    const findings = { violations: this.#violations, counters: this.#counters }
    checkOutcomes(transactions, this.#log, findings)
    checkIndexes(transactions, this.#log, findings)
    checkIdentities(this.#log, findings)
    for (const anomaly of checkListAppends(transactions.flatMap(listTransactionOf))) {
      if (isForbidden(anomaly)) this.#violations.add(anomaly.name, anomaly.what)
      else this.#counters.count('write skew found in lists')
    }
  }

  result(seed: number): SimulationResult {
    return {
      seed,
      swarm: this.#swarm,
      traceHash: this.#scheduler.traceHash,
      events: this.#scheduler.events,
      virtualMs: this.#scheduler.nowMs,
      violations: this.#violations.all(),
      counters: this.#counters.all(),
    }
  }

  async #begin(): Promise<void> {
    while (this.#site.gateways.some((gateway) => !gateway.isServing))
      await this.#scheduler.sleep(10)
    const [gateway] = this.#site.gateways
    if (gateway === undefined) throw new Error('no gateway')
    const task = { client: 0, gateway, workload: 'bank', run: setUp, isSetup: true } as const
    // Where nothing is kept, a collection may overtake even this.
    while ((await runTransaction(this.#world, task)).outcome !== 'committed') {}
  }

  /** Waits until no row is notified any more and all older rows have been, or nothing comes of waiting. */
  async #untilObserved(): Promise<void> {
    let before: string | undefined
    for (let triesLeft = OBSERVED_TRIES; triesLeft > 0; triesLeft -= 1) {
      const rows = await readAllRows(this.#site.cells)
      const notified = rows.flatMap(({ key, cells }) =>
        cells.flatMap(({ family, qualifier, timestamp }) =>
          family === 'notify' ? `${keyString(key)} ${qualifier} ${timestamp}` : [],
        ),
      )
      if (isBackfilling(this.#log)) triesLeft = OBSERVED_TRIES
      else if (notified.length === 0) return
      if (before !== notified.join()) triesLeft = OBSERVED_TRIES
      before = notified.join()
      await this.#scheduler.sleep(5_000)
    }
  }

  /** Waits until no index is being built any more, or nothing comes of waiting: a store may be slow. */
  async #untilBuilt(): Promise<void> {
    for (let triesLeft = BUILT_TRIES; triesLeft > 0; triesLeft -= 1) {
      if (indexesBeingBuilt(this.#log).length === 0) return
      await this.#scheduler.sleep(5_000)
    }
  }

  /** Two workers for each observer, so that they get into each other's way. */
  async #observe(): Promise<void> {
    if (this.#swarm.mix.observers === 0) return
    const workers = WATCHERS.flatMap(({ name }) => [name, name])
    await Promise.all(
      workers.map((name) => runObserver(this.#world, name, this.#stopObserving.signal)),
    )
  }

  /** Resumes those that are in one of these states. */
  async #resumeObservers(states: readonly ObserverDefinition['state'][]): Promise<void> {
    for (const left = WATCHERS.map(({ name }) => name); left.length > 0; ) {
      const gateway = this.#site.gateways.find((one) => one.isServing)
      if (gateway === undefined) {
        await this.#scheduler.sleep(100)
        continue
      }
      const run = (work: Work) => resume(work, left[0] as string, states)
      const task = { client: 0, gateway, workload: 'observers', run, isSetup: true } as const
      const { outcome } = await runTransaction(this.#world, task)
      if (outcome === 'committed') left.shift()
    }
  }

  /** A start settles the locks of a large statement row by row, and the disk may be slow. */
  async #untilServing(): Promise<void> {
    for (let triesLeft = SERVING_TRIES; triesLeft > 0; triesLeft -= 1) {
      if (this.#site.gateways.some((gateway) => gateway.isServing)) return
      await this.#scheduler.sleep(5_000)
    }
  }

  /** Nobody has met some of the locks that were left behind. */
  async #settle(): Promise<void> {
    await this.#scheduler.sleep(this.#swarm.lateMsMax + REST_MS)
    await this.#untilServing()
    // They look young to the first collection where the oracle's time stands still, because it is ahead of all clocks.
    await this.#servingGateway().collect()
    await this.#scheduler.sleep(REST_MS)
    await this.#servingGateway().collect()
  }

  /** Without faults everything that is left over is settled, and everybody can read everything. */
  async #comeToRest(): Promise<void> {
    if (this.#swarm.mix.observers > 0) {
      // What is paused would never be observed.
      await this.#resumeObservers(['paused'])
      // A notify cell that comes late has nobody to clear it when the workers have gone.
      await this.#scheduler.sleep(this.#swarm.lateMsMax)
      await this.#untilObserved()
      await this.#settle()
      checkObservers(this.#history.transactions, this.#log, this.#world)
      // Gateways look at what the log names. A hint that arrives when its transaction has been rolled back is not in
      // it, and says nothing. A walk finds it, which begins by itself within an hour, and at once here.
      await this.#resumeObservers(['paused', 'active'])
      await this.#untilObserved()
    }
    this.#stopObserving.abort()
    await this.#observing
    await this.#untilBuilt()
    await this.#settle()
    const rows = await readAllRows(this.#site.cells)
    const locks = locksIn(rows)
    checkNotified(rows, this.#violations)
    if (locks.length > 0) this.#violations.add('liveness', `locks are left over: ${locks}`)
    this.#site.checkRest()
    const building = indexesBeingBuilt(this.#log)
    if (building.length > 0) this.#violations.add('liveness', `still being built: ${building}`)
    const asked = this.#history.transactions.filter(
      (one) => one.keepsOutcome && one.writesValues && one.id !== undefined && !one.readOnly,
    )
    for (const transaction of asked.slice(0, QUESTIONS_AT_REST)) {
      await askOnce(this.#world, transaction)
    }
    for (const reader of this.#feedReaders) await reader.catchUp()
    for (const workload of ['bank', 'scans', 'registers'] as const) {
      const gateway = this.#servingGateway()
      const run = TRANSACTIONS[workload]
      const { outcome } = await runTransaction(this.#world, { client: 0, gateway, workload, run })
      const isWell = outcome === 'committed' || outcome === 'rolledBack'
      if (!isWell) this.#violations.add('liveness', `a transaction at rest is ${outcome}`)
    }
  }

  #servingGateway(): Gateway {
    const gateway = this.#site.gateways.find((one) => one.isServing)
    if (gateway === undefined) throw new Error('no gateway came back')
    return gateway
  }

  /** J9, in what is certain to stay. */
  async #checkLog(): Promise<void> {
    const { problems } = await checkConsistency(this.#site.cells)
    for (const { rule, message } of problems) {
      if (rule === 'J9') this.#violations.add(rule, message)
    }
  }

  /** Runs events until the work is done; rejects as it does. Looks at all cells now and then. */
  async #until(work: Promise<unknown>): Promise<void> {
    let isDone = false
    let failure: unknown
    work
      .catch((error: unknown) => {
        failure = error
      })
      .finally(() => {
        isDone = true
      })
    for (let samplesLeft = SAMPLES_AFTER_VIOLATION; !isDone; ) {
      const pauseAt = this.#scheduler.events + SAMPLE_EVENTS
      await this.#scheduler.run(() => {
        this.#site.checkMoment()
        return isDone || this.#scheduler.events >= pauseAt
      }, EVENTS_MAX)
      await this.#checkCells()
      if (this.#violations.any) samplesLeft -= 1
      if (samplesLeft < 0) throw new Error('The run had gone wrong, and did not end.')
    }
    if (failure !== undefined) throw failure
  }

  async #checkCells(): Promise<void> {
    const { safePoint } = await readOracleState(this.#site.cells)
    const transactions = new Map(
      this.#history.transactions
        .filter(({ startTs, isAsOf }) => startTs !== undefined && !isAsOf)
        .map((transaction) => [transaction.startTs as number, transaction]),
    )
    const rows = await readAllRows(this.#site.cells)
    checkCells(rows, { transactions, safePoint, violations: this.#violations })
  }
}

function listTransactionOf(transaction: History['transactions'][number]): ListTransaction[] {
  const { number, outcome, listOperations: operations } = transaction
  if (operations.length === 0) return []
  const isKnown = outcome === 'committed' || outcome === 'rolledBack'
  return [{ id: number, outcome: isKnown ? outcome : 'unknown', operations }]
}

/** Longer than any answer is waited for and any lock lives. */
const REST_MS = 12_000
/**
 * So often 5 s: a worker that is asking for an outcome holds its notification meanwhile, and one that had forgotten its
 * transaction when the faults ended, for up to 400 s.
 */
const OBSERVED_TRIES = 100
/** So often 5 s: where each call takes a good part of a second, an index of few rows takes a minute. */
const BUILT_TRIES = 60
/** So often 5 s: each lock of a hundred may take two syncs. */
const SERVING_TRIES = 60
const QUESTIONS_AT_REST = 12
const SAMPLE_EVENTS = 1_500
const IDLE_TURNS_MAX = 25
/** What has gone wrong need not be watched for ever. */
const SAMPLES_AFTER_VIOLATION = 10
/** A run of 340 s of virtual time in which garbage is collected every 3 ms takes 860,000. */
const EVENTS_MAX = 1_000_000
