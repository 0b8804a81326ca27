// SPDX-License-Identifier: Apache-2.0
import { executeAccess, executeDefinition, type StatementResult } from '../../planner/planner.ts'
import type { Randomness, Timestamp, Transaction, Work } from '../../storage/storage.ts'
import type { Access } from '../access/access.ts'
import { newHashedText } from '../access/hashed-text.ts'
import type { QueryOutcome } from '../answers/query-answer.ts'
import type { Audit, ChangeOutcome } from '../audit/audit.ts'
import { problemOf } from '../errors/error-response.ts'
import { StatementFailure } from '../errors/server-error.ts'
import type { RunningRequest } from '../requests/running-request.ts'
import { isAboutAccess, type LoneStatement, type ScriptStatement } from '../requests/script.ts'
import { AddedChecks } from './added-check.ts'
import {
  commitWritten,
  type OwnTransaction,
  type OwnTransactionParts,
  type OwnTransactions,
} from './own-transactions.ts'
import type { ExecutionParts } from './statement-execution.ts'

export type DefinitionParts = Pick<OwnTransactionParts, 'shares' | 'conflicts'> & {
  readonly access: Access
  readonly randomness: Randomness
  readonly audit: Audit
}

/** What else is done in the transaction of each. */
export type BesideDefinition = {
  before(own: OwnTransaction): Promise<void>
  after(own: OwnTransaction, entry: ScriptStatement<LoneStatement>): void
}

/** Runs statements that change the catalog, or who may do what. */
export class DefinitionRunner {
  readonly #transactions: OwnTransactions
  readonly #parts: DefinitionParts

  readonly #checks: AddedChecks

  constructor(transactions: OwnTransactions, parts: DefinitionParts & ExecutionParts) {
    this.#transactions = transactions
    this.#parts = parts
    this.#checks = new AddedChecks(transactions, parts)
  }

  /** CREATE, ALTER, DROP, ROTATE, GRANT and REVOKE: each is a transaction of its own, in their order. */
  *run(
    statements: ReadonlyArray<ScriptStatement<LoneStatement>>,
    running: RunningRequest,
    beside?: BesideDefinition,
  ): Work<QueryOutcome> {
    // The second one is not refused where the first has committed.
    running.commits()
    const results: StatementResult[] = []
    let last = { readTimestamp: 0, commitTimestamp: null as Timestamp | null, attempts: 1 }
    for (const [index, entry] of statements.entries()) {
      running.signal.throwIfAborted()
      try {
        if (index > 0) this.#parts.access.requireHeld(running.principal)
        const { result, ...stamps } = yield* this.#define(entry, running, beside)
        results.push(result)
        last = { ...stamps, attempts: Math.max(last.attempts, stamps.attempts) }
      } catch (error) {
        throw new StatementFailure(index, error)
      }
    }
    return { results, ...last }
  }

  *#define(
    entry: ScriptStatement<LoneStatement>,
    running: RunningRequest,
    beside: BesideDefinition | undefined,
  ): Work<Defined> {
    const { statement } = entry
    if (statement.kind !== 'addCheck' && statement.kind !== 'setNotNull') {
      return yield* this.#defineAtOnce(entry, running, beside)
    }
    const begun = yield* this.#defineAtOnce(entry, running)
    const ended = yield* this.#checks.end(statement, running, async (own) => {
      await beside?.before(own)
      beside?.after(own, entry)
    })
    return { ...begun, ...ended }
  }

  #defineAtOnce(
    entry: ScriptStatement<LoneStatement>,
    running: RunningRequest,
    beside?: BesideDefinition,
  ): Work<Defined> {
    return this.#transactions.run(
      { readOnly: false },
      running,
      (own) => definedIn(own, entry, running, { ...this.#parts, beside }),
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
  parts: DefinitionParts & { readonly beside: BesideDefinition | undefined },
): Promise<Defined> {
  const { access, audit, randomness, beside } = parts
  const { transaction, catalog, attempts } = own
  await beside?.before(own)
  const isAccess = isAboutAccess(statement)
  let tokenId: string | undefined
  const newText = (id?: string) => {
    const made = newHashedText(randomness, id)
    tokenId = made.id
    return made
  }
  const result = isAccess
    ? await executeAccess(statement, {
        transaction,
        catalog,
        newText,
        jwtIssuer: access.jwtIssuer,
        newSecret: () => access.cursorSecrets.next(randomness),
      })
    : await executeDefinition(statement, { transaction, catalog, parameters })
  beside?.after(own, { statement, parameters })
  // After its rights were looked at: others are not told how the log is.
  if (isAccess) await audit.requireWritable()
  const { principal, address, operation, id } = running
  const by = { principal, address, operation, id }
  const commitTimestamp = await committed(transaction, running, (outcome) =>
    audit.changed(statement, by, { isAccess, tokenId, ...outcome }),
  )
  // Who changes the last thing that lets it in still gets its answer.
  if (isAccess) await access.changed(running)
  return { result, readTimestamp: transaction.startTs, commitTimestamp, attempts }
}

/** Commits the change, and tells of it once: when it is there, and when it may be. */
async function committed(
  transaction: Transaction,
  running: RunningRequest,
  tell: (outcome: Pick<ChangeOutcome, 'commitTimestamp' | 'code'>) => void,
): Promise<Timestamp | null> {
  try {
    const commitTimestamp = await commitWritten(transaction, running)
    if (commitTimestamp !== null) tell({ commitTimestamp })
    return commitTimestamp
  } catch (error) {
    const { code } = problemOf(error)
    if (code === 'commit_outcome_unknown') tell({ code })
    throw error
  }
}
