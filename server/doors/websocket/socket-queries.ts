// SPDX-License-Identifier: Apache-2.0

import { textOf } from '../../requests/answers/answer-body.ts'
import { ReplayedAnswer } from '../../requests/prepared/idempotency.ts'
import type { QueryRequest } from '../../requests/prepared/query-request.ts'
import type { RunningRequest } from '../../requests/prepared/running-request.ts'
import type { ObserverRun } from '../../requests/transactions/observer-run.ts'
import {
  busy,
  type TransactionAddress,
  TransactionSession,
} from '../../requests/transactions/transaction-session.ts'
import type { SocketDependencies } from './socket-dependencies.ts'

/** Transactions after which those that have ended are forgotten, so that a long life costs nothing. */
const FORGET_EVERY = 100

/** The queries of one socket, and the transactions that were begun on it and end with it. */
export class SocketQueries {
  readonly #deps: SocketDependencies
  readonly #transactions = new Map<string, TransactionAddress>()
  /** Those in which a query of this socket is running. */
  readonly #busy = new Set<string>()

  constructor(deps: SocketDependencies) {
    this.#deps = deps
  }

  /** The fields of `result`, as JSON after the opening brace. Rejects with what is wrong. */
  async answer(
    request: QueryRequest,
    running: RunningRequest,
    observerRun?: ObserverRun,
  ): Promise<string> {
    try {
      const { transaction } = request
      if (transaction === undefined) return await this.#answer(request, running, observerRun)
      return await this.#alone(transaction, () => this.#answer(request, running, observerRun))
    } catch (error) {
      observerRun?.notCommitted(error)
      throw error
    }
  }

  /**
   * Of queries that are sent ahead the first one runs, whatever each of them takes to begin: else a COMMIT
   * would overtake the statements before it, and commit without them. Rejects with `transaction_busy`.
   */
  async #alone<T>(transaction: string, work: () => Promise<T>): Promise<T> {
    if (this.#busy.has(transaction)) throw busy(transaction)
    this.#busy.add(transaction)
    try {
      return await work()
    } finally {
      this.#busy.delete(transaction)
    }
  }

  async #answer(
    request: QueryRequest,
    running: RunningRequest,
    observerRun: ObserverRun | undefined,
  ): Promise<string> {
    const { runner, writer } = this.#deps
    const integers = request.integers ?? 'number'
    const newRowWriter = writer.rowWriters[integers]
    const outcome = await runner.run(request, running, { observerRun, newRowWriter })
    // Only a request with a key is replayed, and those come over HTTP.
    if (outcome instanceof ReplayedAnswer) throw new Error('A query of a socket was replayed.')
    if (outcome instanceof TransactionSession) {
      this.#opened(outcome)
      if (running.signal.aborted) await this.#rollBack(outcome)
      const { id: transaction, expiresAt } = outcome
      const readTimestamp = outcome.transaction.startTs
      return JSON.stringify({ transaction, readTimestamp, expiresAt }).slice(1)
    }
    if (outcome.opened !== undefined) {
      this.#opened({ id: outcome.opened.transaction, owner: running.owner })
    }
    return textOf(await writer.answer(outcome, integers, running.turns)).slice(1, -1)
  }

  /** To be called when the socket has closed: what has not been committed is rolled back. */
  async close(): Promise<void> {
    await Promise.all([...this.#transactions.values()].map((opened) => this.#rollBack(opened)))
    this.#transactions.clear()
  }

  #opened({ id, owner }: TransactionAddress): void {
    this.#transactions.set(id, { id, owner })
    if (this.#transactions.size % FORGET_EVERY > 0) return
    for (const known of this.#transactions.keys()) {
      if (!this.#deps.sessions.isOpen(known)) this.#transactions.delete(known)
    }
  }

  async #rollBack(opened: TransactionAddress): Promise<void> {
    if (!this.#deps.sessions.isOpen(opened.id)) return
    try {
      await this.#deps.sessions.rollBack(opened)
    } catch {
      // Its commit is under way, which is always finished, or a statement that is being stopped.
    }
  }
}
