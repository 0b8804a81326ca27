// SPDX-License-Identifier: Apache-2.0

import {
  keyString,
  type Notification,
  openStorage,
  type Storage,
  StorageError,
  type StorageOptions,
  type Transaction,
} from '../../storage/storage.ts'
import {
  changeRows,
  createObserver,
  encodePrimaryKey,
  getRows,
  requireTable,
} from '../../storage/tables/tables.ts'
import { inTransaction, makeTable, tableOf } from '../embedded/data-directory.ts'
import type { OpenContender, Surroundings } from '../harness/experiment.ts'
import type { Sample } from '../harness/sample.ts'
import { measureHere, runClosedLoop } from '../load/closed-loop.ts'

const OBSERVER = 'derive'
const CHECKED_ROWS = 1_000

type Tally = { begun: number; committed: number; conflicts: number }

/** Rows that are changed one change at a time, each of them run by several transactions at once. */
export class RacingRuns implements OpenContender {
  readonly #storage: Storage
  readonly #racers: number
  readonly #rows: number
  /** By the key of the row: called when its change has been run. */
  readonly #waiting = new Map<string, () => void>()
  readonly #stop = new AbortController()
  #workers: Promise<unknown> = Promise.resolve()
  #failure: Error | undefined
  #values = 0
  /** One for each run, so that runs meet nowhere but on the acknowledgment. */
  #runIds = 0
  #tally: Tally = { begun: 0, committed: 0, conflicts: 0 }

  private constructor(storage: Storage, { racers, rows }: { racers: number; rows: number }) {
    this.#storage = storage
    this.#racers = racers
    this.#rows = rows
  }

  static async open(
    commit: NonNullable<StorageOptions['commit']>,
    counts: { readonly racers: number; readonly rows: number },
    { temporaryFolder }: Surroundings,
  ): Promise<RacingRuns> {
    const dataDirectory = await temporaryFolder('races')
    const storage = await openStorage({ engine: 'sqlite', dataDirectory, commit })
    const races = new RacingRuns(storage, counts)
    try {
      for (const name of ['source', 'derived']) {
        await makeTable(storage, tableOf(name, { id: 'integer', n: 'integer?' }, ['id']))
      }
      await inTransaction(storage, async (transaction, catalog) => {
        const observer = { name: OBSERVER, table: 'source', isWeak: false, columns: ['n'] }
        await createObserver(transaction, catalog, observer, { ifNotExists: false })
      })
      races.#workers = Promise.all(Array.from({ length: counts.rows }, () => races.#work()))
    } catch (error) {
      await storage.close()
      throw error
    }
    return races
  }

  /** Its failures say where a change was not run by exactly one transaction that committed. */
  async run(seconds: number, signal: AbortSignal): Promise<Sample> {
    this.#tally = { begun: 0, committed: 0, conflicts: 0 }
    const firstRunId = this.#runIds
    const sample = await measureHere(() =>
      runClosedLoop({
        ...{ seconds, signal, clients: this.#rows, takesLatency: true },
        operation: (_, row) => this.#changeAndWait(row),
      }),
    )
    const { begun, committed, conflicts } = this.#tally
    const derived = await this.#derivedRows(firstRunId)
    const failures = [
      ['runs that committed', committed],
      ['rows that they derived', derived],
    ] as const
    return {
      ...sample,
      figures: {
        changes: sample.operations,
        runsBegun: begun,
        runsCommitted: committed,
        runsInConflict: conflicts,
        rowsDerived: derived,
        runsCommittedPerChange: committed / Math.max(1, sample.operations),
      },
      findings: {
        lines: [
          `${sample.operations} changes: ${begun} runs began, ${committed} committed, ${conflicts} conflicted.`,
        ],
        data: {},
        failures: failures
          .filter(([, count]) => count !== sample.operations)
          .map(([what, count]) => `${count} ${what}, for ${sample.operations} changes`),
      },
    }
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('closed'))
    await this.#workers
    await this.#storage.close()
  }

  async #changeAndWait(row: number): Promise<void> {
    const value = BigInt(++this.#values)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    await inTransaction(this.#storage, async (transaction, catalog) => {
      const table = requireTable(catalog, 'source')
      this.#waiting.set(keyString(encodePrimaryKey(table, [BigInt(row)])), resolve)
      const [before] = await getRows(transaction, table, [[BigInt(row)]])
      const change = { before: before?.row ?? null, after: [BigInt(row), value] }
      await changeRows(transaction, table, [change])
    })
    const failed = () => reject(this.#failure)
    if (this.#failure !== undefined) throw this.#failure
    this.#stop.signal.addEventListener('abort', failed, { once: true })
    await promise.finally(() => this.#stop.signal.removeEventListener('abort', failed))
  }

  async #work(): Promise<void> {
    const { signal } = this.#stop
    try {
      for (;;) {
        const notification = await this.#storage.observers.lease(OBSERVER, { signal })
        await this.#race(notification)
      }
    } catch (error) {
      if (signal.aborted) return
      this.#failure = error as Error
      this.#stop.abort(error)
    }
  }

  /** As if nothing kept workers from taking one notification together: all begin before any commits. */
  async #race(notification: Notification): Promise<void> {
    const runs = await Promise.all(
      Array.from({ length: this.#racers }, async () => {
        const transaction = await this.#storage.begin()
        return { transaction, seen: await notification.acknowledge(transaction) }
      }),
    )
    const pending = runs.filter(({ seen }) => seen === 'pending')
    this.#tally.begun += pending.length
    const outcomes = await Promise.all(pending.map(({ transaction }) => this.#derive(transaction)))
    for (const { transaction } of runs) transaction.rollback()
    const committed = outcomes.filter((hasCommitted) => hasCommitted).length
    this.#tally.committed += committed
    this.#tally.conflicts += outcomes.length - committed
    await notification.committed()
    const key = keyString(notification.key)
    if (pending.length === 0) return
    this.#waiting.get(key)?.()
    this.#waiting.delete(key)
  }

  /** Whether it has committed; otherwise it has lost against another run. */
  async #derive(transaction: Transaction): Promise<boolean> {
    const id = BigInt(++this.#runIds)
    try {
      const table = requireTable(await this.#storage.catalog(transaction), 'derived')
      await changeRows(transaction, table, [{ before: null, after: [id, 1n] }])
      await transaction.commit()
      return true
    } catch (error) {
      if (error instanceof StorageError && error.isWorthRerun) return false
      throw error
    }
  }

  /** How many of the rows are there that the runs since that one have written. */
  async #derivedRows(firstRunId: number): Promise<number> {
    let found = 0
    for (let id = firstRunId; id < this.#runIds; id += CHECKED_ROWS) {
      const count = Math.min(CHECKED_ROWS, this.#runIds - id)
      const keys = Array.from({ length: count }, (_, at) => [BigInt(id + at + 1)])
      await inTransaction(this.#storage, async (transaction, catalog) => {
        const rows = await getRows(transaction, requireTable(catalog, 'derived'), keys)
        found += rows.filter((row) => row !== null).length
      })
    }
    return found
  }
}
