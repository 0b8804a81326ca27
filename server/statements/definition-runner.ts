// SPDX-License-Identifier: Apache-2.0
import type { DefinitionStatement } from '../../parser/ast.ts'
import { executeDefinition, type StatementResult } from '../../planner/planner.ts'
import type { Catalog, Clock, Randomness, Storage, Timestamp } from '../../storage/storage.ts'
import type { QueryOutcome } from '../answers/query-answer.ts'
import type { Shares } from '../budgets/shares.ts'
import { StatementFailure } from '../errors/server-error.ts'
import type { RunningRequest } from '../requests/running-request.ts'
import type { ScriptStatement } from '../requests/script.ts'
import type { EndedTransactions } from '../transactions/ended-transactions.ts'
import { retryableCause, withRetries } from '../transactions/retry.ts'
import { explained } from './explained-error.ts'

type DefinitionParts = {
  readonly storage: Storage
  readonly clock: Clock
  readonly randomness: Randomness
  readonly shares: Shares
  readonly ended: EndedTransactions
}

/** Runs statements that change the catalog. */
export class DefinitionRunner {
  readonly #parts: DefinitionParts

  constructor(parts: DefinitionParts) {
    this.#parts = parts
  }

  /** CREATE, ALTER and DROP: each is a transaction of its own, in their order. */
  async run(
    statements: ReadonlyArray<ScriptStatement<DefinitionStatement>>,
    running: RunningRequest,
  ): Promise<QueryOutcome> {
    // The second one is not refused where the first has committed.
    running.commits()
    const results: StatementResult[] = []
    let last = { readTimestamp: 0, commitTimestamp: null as Timestamp | null, attempts: 1 }
    for (const [index, entry] of statements.entries()) {
      running.signal.throwIfAborted()
      const { result, ...stamps } = await this.#define(entry, running).catch((error) => {
        throw new StatementFailure(index, error)
      })
      results.push(result)
      last = { ...stamps, attempts: Math.max(last.attempts, stamps.attempts) }
    }
    return { results, ...last }
  }

  async #define(
    { statement, parameters }: ScriptStatement<DefinitionStatement>,
    { signal, client }: RunningRequest,
  ) {
    const { storage, ended, shares } = this.#parts
    const attempt = async (attempts: number) => {
      const transaction = await storage.begin({ budget: shares.writtenBy(client) })
      let catalog: Catalog | undefined
      try {
        catalog = await storage.catalog(transaction)
        const result = await executeDefinition(statement, { transaction, catalog, parameters })
        const { commitTs } = await transaction.commit()
        const readTimestamp = transaction.startTs
        return { result, readTimestamp, commitTimestamp: commitTs, attempts }
      } catch (error) {
        throw explained(error, catalog)
      } finally {
        transaction.rollback()
      }
    }
    return ended.counted(
      () => withRetries({ ...this.#parts, signal, mayRetry: retryableCause }, attempt),
      ({ commitTimestamp }) => commitTimestamp,
    )
  }
}
