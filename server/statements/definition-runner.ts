// SPDX-License-Identifier: Apache-2.0
import { executeAccess, executeDefinition, type StatementResult } from '../../planner/planner.ts'
import type { Randomness, Timestamp, Work } from '../../storage/storage.ts'
import type { Access } from '../access/access.ts'
import { newHashedText } from '../access/hashed-text.ts'
import type { QueryOutcome } from '../answers/query-answer.ts'
import { StatementFailure } from '../errors/server-error.ts'
import type { RunningRequest } from '../requests/running-request.ts'
import { isAboutAccess, type LoneStatement, type ScriptStatement } from '../requests/script.ts'
import { commitWritten, type OwnTransaction, type OwnTransactions } from './own-transactions.ts'

export type DefinitionParts = { readonly access: Access; readonly randomness: Randomness }

/** Runs statements that change the catalog, or who may do what. */
export class DefinitionRunner {
  readonly #transactions: OwnTransactions
  readonly #parts: DefinitionParts

  constructor(transactions: OwnTransactions, parts: DefinitionParts) {
    this.#transactions = transactions
    this.#parts = parts
  }

  /** CREATE, ALTER, DROP, ROTATE, GRANT and REVOKE: each is a transaction of its own, in their order. */
  *run(
    statements: ReadonlyArray<ScriptStatement<LoneStatement>>,
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

  #define(entry: ScriptStatement<LoneStatement>, running: RunningRequest): Work<Defined> {
    return this.#transactions.run(
      { readOnly: false },
      running,
      (own) => definedIn(own, entry, running, this.#parts),
      ({ commitTimestamp }) => commitTimestamp,
    )
  }
}

type Defined = Pick<QueryOutcome, 'readTimestamp' | 'commitTimestamp' | 'attempts'> & {
  readonly result: StatementResult
}

async function definedIn(
  own: OwnTransaction,
  { statement, parameters }: ScriptStatement<LoneStatement>,
  running: RunningRequest,
  { access, randomness }: DefinitionParts,
): Promise<Defined> {
  const { transaction, catalog, attempts } = own
  const isAccess = isAboutAccess(statement)
  const result = isAccess
    ? await executeAccess(statement, {
        transaction,
        catalog,
        newText: (id) => newHashedText(randomness, id),
        jwtIssuer: access.jwtIssuer,
      })
    : await executeDefinition(statement, { transaction, catalog, parameters })
  const commitTimestamp = await commitWritten(transaction, running)
  // Who changes the last thing that lets it in still gets its answer.
  if (isAccess) await access.changed(running)
  return { result, readTimestamp: transaction.startTs, commitTimestamp, attempts }
}
