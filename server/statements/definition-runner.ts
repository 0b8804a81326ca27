// SPDX-License-Identifier: Apache-2.0
import type { DefinitionStatement } from '../../parser/ast.ts'
import { executeDefinition, type StatementResult } from '../../planner/planner.ts'
import type { Timestamp, Work } from '../../storage/storage.ts'
import type { QueryOutcome } from '../answers/query-answer.ts'
import { StatementFailure } from '../errors/server-error.ts'
import type { RunningRequest } from '../requests/running-request.ts'
import type { ScriptStatement } from '../requests/script.ts'
import { commitWritten, type OwnTransaction, type OwnTransactions } from './own-transactions.ts'

/** Runs statements that change the catalog. */
export class DefinitionRunner {
  readonly #transactions: OwnTransactions

  constructor(transactions: OwnTransactions) {
    this.#transactions = transactions
  }

  /** CREATE, ALTER and DROP: each is a transaction of its own, in their order. */
  *run(
    statements: ReadonlyArray<ScriptStatement<DefinitionStatement>>,
    running: RunningRequest,
  ): Work<QueryOutcome> {
    // The second one is not refused where the first has committed.
    running.commits()
    const results: StatementResult[] = []
    let last = { readTimestamp: 0, commitTimestamp: null as Timestamp | null, attempts: 1 }
    for (const [index, entry] of statements.entries()) {
      running.signal.throwIfAborted()
      try {
        const { result, ...stamps } = yield* this.#define(entry, running)
        results.push(result)
        last = { ...stamps, attempts: Math.max(last.attempts, stamps.attempts) }
      } catch (error) {
        throw new StatementFailure(index, error)
      }
    }
    return { results, ...last }
  }

  #define(entry: ScriptStatement<DefinitionStatement>, running: RunningRequest): Work<Defined> {
    return this.#transactions.run(
      { readOnly: false },
      running,
      (own) => definedIn(own, entry, running),
      ({ commitTimestamp }) => commitTimestamp,
    )
  }
}

type Defined = Pick<QueryOutcome, 'readTimestamp' | 'commitTimestamp' | 'attempts'> & {
  readonly result: StatementResult
}

async function definedIn(
  own: OwnTransaction,
  { statement, parameters }: ScriptStatement<DefinitionStatement>,
  running: RunningRequest,
): Promise<Defined> {
  const { transaction, catalog, attempts } = own
  const result = await executeDefinition(statement, { transaction, catalog, parameters })
  const commitTimestamp = await commitWritten(transaction, running)
  return { result, readTimestamp: transaction.startTs, commitTimestamp, attempts }
}
