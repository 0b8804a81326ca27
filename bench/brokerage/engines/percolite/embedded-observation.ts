// SPDX-License-Identifier: Apache-2.0
import {
  createObserver,
  decodePrimaryKey,
  type Notification,
  type Storage,
} from '../../../../storage/storage.ts'
import type { Observation, ObserverFailed, ObserverRun, Session } from '../../engine.ts'
import type { TableName } from '../../schema/schema.ts'
import { primaryKeyOf } from '../sql-statements.ts'
import { observerOf } from './percolite-statements.ts'
import { workloadValue } from './percolite-values.ts'

export async function createWeakObserver(storage: Storage, table: TableName): Promise<void> {
  const transaction = await storage.begin()
  const catalog = await storage.catalog(transaction)
  const observer = { name: observerOf(table), table, isWeak: true, columns: primaryKeyOf(table) }
  await transaction.statement(() =>
    createObserver(transaction, catalog, observer, { ifNotExists: true }),
  )
  await transaction.commit()
}

type ObservationParts = {
  readonly run: ObserverRun
  readonly failed: ObserverFailed
  sessionOf(notification: Notification): Session
}

/** One worker of an observer within the process of the store. */
export class EmbeddedObservation implements Observation {
  readonly #stopping = new AbortController()
  readonly #working: Promise<void>

  /** `sessionOf` makes the session whose transactions are the run of a notification. */
  constructor(storage: Storage, observer: string, parts: ObservationParts) {
    this.#working = this.#work(storage, observer, parts).catch(parts.failed)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#working
  }

  async #work(
    storage: Storage,
    observer: string,
    { run, sessionOf }: ObservationParts,
  ): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const notification = await storage.observers.lease(observer, { signal }).catch((error) => {
        if (signal.aborted) return undefined
        throw error
      })
      if (notification === undefined) return
      const key = decodePrimaryKey(notification.table, notification.key).map(workloadValue)
      await run(sessionOf(notification), key)
      await notification.committed()
    }
  }
}
