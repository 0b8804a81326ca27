// SPDX-License-Identifier: Apache-2.0
import type { Logger } from 'pino'
import {
  type Clock,
  type Notification,
  type Storage,
  StorageError,
  type Timestamp,
  type Transaction,
  unlessAborted,
} from '../../../storage/storage.ts'
import {
  type Catalog,
  decodePrimaryKey,
  getRows,
  requireObserver,
} from '../../../storage/tables/tables.ts'
import { ServerError } from '../../errors/server-error.ts'
import { SERVER_ITSELF } from '../../guard/budgets/client-key.ts'
import { rowToJson } from '../../requests/answers/query-answer.ts'
import type { RunningRequest } from '../../requests/prepared/running-request.ts'
import type { RunningRequests } from '../../requests/prepared/running-requests.ts'
import type { EndedTransactions } from '../../requests/transactions/ended-transactions.ts'
import { inTransaction } from '../../snapshot.ts'
import type { DefinedObserver, ObserverEvent } from './define-observer.ts'
import { factsOf, lostRaceOf } from './observer-event.ts'
import { RunTransaction, type RunTransactionDependencies } from './run-transaction.ts'

export type InProcessDependencies = RunTransactionDependencies & {
  readonly storage: Storage
  readonly clock: Clock
  readonly log: Logger
  readonly requests: RunningRequests
  readonly ended: EndedTransactions
  /** How long a run may take, as any transaction. */
  readonly runMsMax: number
}

/** How often an observer is looked for that has not been created yet. */
const LOOK_MS = 500
/** After an error of the store. */
const RETRY_MS = 1_000

/** Runs the functions of the module that the server was started with (`--observers`). */
export class InProcessObservers {
  readonly #deps: InProcessDependencies
  readonly #stopping = new AbortController()
  readonly #missing = new Set<string>()
  #working: readonly Promise<void>[] = []

  constructor(deps: InProcessDependencies) {
    this.#deps = deps
  }

  start(observers: readonly DefinedObserver[]): void {
    this.#working = observers.flatMap((defined) =>
      Array.from({ length: defined.workers ?? 1 }, () => this.#work(defined)),
    )
  }

  /** Takes nothing new, and resolves when the runs under way have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#working)
  }

  async #work(defined: DefinedObserver): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const notification = await this.#next(defined.observer)
      if (notification === undefined) continue
      if (signal.aborted) notification.release()
      else await this.#run(defined, notification)
    }
  }

  /** Undefined after a while in which there is none to be had. */
  async #next(observer: string): Promise<Notification | undefined> {
    const { storage, clock, log } = this.#deps
    const { signal } = this.#stopping
    try {
      return await storage.observers.lease(observer, { signal })
    } catch (error) {
      if (signal.aborted) return undefined
      const isMissing = error instanceof StorageError && error.code === 'unknown_observer'
      if (isMissing) this.#tellMissing(observer)
      else log.warn({ observer, err: error }, 'an observer cannot get its notifications')
      await clock.sleep(isMissing ? LOOK_MS : RETRY_MS, signal).catch(() => undefined)
      return undefined
    }
  }

  #tellMissing(observer: string): void {
    if (this.#missing.has(observer)) return
    this.#missing.add(observer)
    this.#deps.log.info({ observer }, 'there is no such observer yet; waiting for its creation')
  }

  async #run(defined: DefinedObserver, notification: Notification): Promise<void> {
    const { requests, runMsMax, log } = this.#deps
    this.#missing.delete(defined.observer)
    const running = requests.beginFor({ client: SERVER_ITSELF }, { operation: 'observer' })
    running.admitted()
    const timer = setTimeout(() => running.abort(tookTooLong(runMsMax)), runMsMax)
    try {
      await this.#deps.ended.counted(
        () => this.#runInside(defined, notification, running),
        (commitTs) => commitTs,
      )
      await notification.committed()
    } catch (error) {
      if (isStopped(running)) {
        notification.release()
        return
      }
      const lostRace = lostRaceOf(error)
      const { key } = factsOf(notification)
      const facts = { observer: defined.observer, key, error: wordsOfThrown(error) }
      if (lostRace !== undefined) log.debug(facts, 'an observer met a conflict, and is run again')
      else log.warn(facts, 'an observer failed, and is run again')
      await notification.failed(lostRace ?? error)
    } finally {
      clearTimeout(timer)
      running.closeUnsent()
      running.end()
    }
  }

  /** The run and its transaction, which acknowledges what it has seen. */
  async #runInside(
    { run }: DefinedObserver,
    notification: Notification,
    running: RunningRequest,
  ): Promise<Timestamp | null> {
    const { storage } = this.#deps
    return await inTransaction(storage, {}, async (transaction) => {
      if ((await notification.acknowledge(transaction)) === 'alreadyObserved') return null
      const catalog = await storage.catalog(transaction)
      const event = await eventOf(notification, transaction, catalog)
      const tx = new RunTransaction(this.#deps, { transaction, catalog, running })
      // A function that waits for something that never comes must not hold up the end of the server.
      const work = async () => {
        await run(tx, event)
        await tx.end()
      }
      running.signal.throwIfAborted()
      await unlessAborted(running.signal, work())
      return (await transaction.commit()).commitTs
    })
  }
}

async function eventOf(
  notification: Notification,
  transaction: Transaction,
  catalog: Catalog,
): Promise<ObserverEvent> {
  const name = notification.observer.name
  const facts = factsOf(notification)
  // What it was leased with may be older than the snapshot.
  const { table } = requireObserver(catalog, name)
  const [found] = await getRows(transaction, table, [decodePrimaryKey(table, notification.key)])
  const row = found == null ? undefined : rowToJson(table.columns, found.row)
  return { observer: name, ...facts, row }
}

function isStopped({ signal }: RunningRequest): boolean {
  return signal.reason instanceof ServerError && signal.reason.code === 'overloaded'
}

function tookTooLong(runMsMax: number): ServerError {
  return new ServerError(
    'transaction_expired',
    `The run took ${runMsMax} ms, which is as long as a transaction may be open.`,
    { expiredBy: 'total', totalMsMax: runMsMax },
  )
}

const CHARACTERS_MAX = 2_000

/** What a user's code has thrown, for the log: it may be anything, and of any length. */
function wordsOfThrown(thrown: unknown): string {
  try {
    const words = thrown instanceof Error ? (thrown.stack ?? thrown.message) : thrown
    return String(words).slice(0, CHARACTERS_MAX)
  } catch {
    return `a value of type ${typeof thrown}`
  }
}
