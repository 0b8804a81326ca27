// SPDX-License-Identifier: Apache-2.0
import type { AlterStoreStatement } from '../../../parser/ast.ts'
import { executeAccess, executeDefinition, type StatementResult } from '../../../planner/planner.ts'
import type { Timestamp, Transaction } from '../../../storage/storage.ts'
import { problemOf } from '../../errors/error-response.ts'
import { StatementFailure } from '../../errors/server-error.ts'
import { newHashedText } from '../../guard/access/hashed-text.ts'
import type { ChangeOutcome } from '../../guard/audit/audit.ts'
import type { QueryOutcome } from '../answers/query-answer.ts'
import type { RunningRequest } from '../prepared/running-request.ts'
import { isAboutAccess, type LoneStatement, type ScriptStatement } from '../prepared/script.ts'
import { type Attempt, commitWritten } from '../transactions/attempt.ts'
import { AddedChecks } from './added-check.ts'
import type { StatementDependencies } from './statement-execution.ts'

/** What else is done in the transaction of each. */
export type BesideDefinition = {
  before(own: Attempt): Promise<void>
  after(own: Attempt, entry: ScriptStatement<LoneStatement>): void
}

/** Runs statements that change the catalog, or who may do what. */
export class DefinitionRunner {
  readonly #deps: StatementDependencies
  readonly #checks: AddedChecks

  constructor(deps: StatementDependencies) {
    this.#deps = deps
    this.#checks = new AddedChecks(deps)
  }

  /**
   * CREATE, ALTER, DROP, ROTATE, GRANT and REVOKE in their order: each is a transaction of its own, and so are GRANTs
   * and REVOKEs that follow each other: nobody meets a role between the right of before and the one in its place.
   */
  async run(
    statements: ReadonlyArray<ScriptStatement<LoneStatement>>,
    running: RunningRequest,
    beside?: BesideDefinition,
  ): Promise<QueryOutcome> {
    // The second one is not refused where the first has committed.
    running.commits()
    const results: StatementResult[] = []
    let last = { readTimestamp: 0, commitTimestamp: null as Timestamp | null, attempts: 1 }
    for (let first = 0; first < statements.length; first = results.length) {
      running.signal.throwIfAborted()
      const entries = togetherFrom(statements, first)
      const at: At = { index: 0 }
      try {
        if (first > 0) this.#deps.access.requireHeld(running.principal)
        const { results: more, ...stamps } = await this.#define(entries, running, at, beside)
        results.push(...more)
        last = { ...stamps, attempts: Math.max(last.attempts, stamps.attempts) }
      } catch (error) {
        throw new StatementFailure(first + at.index, error)
      }
    }
    return { results, ...last }
  }

  async #define(
    entries: Together,
    running: RunningRequest,
    at: At,
    beside: BesideDefinition | undefined,
  ): Promise<QueryOutcome> {
    const [entry] = entries
    const { statement } = entry
    if (statement.kind !== 'addCheck' && statement.kind !== 'setNotNull') {
      return await this.#defineAtOnce(entries, running, at, beside)
    }
    const begun = await this.#defineAtOnce(entries, running, at)
    const ended = await this.#checks.end(statement, running, async (own) => {
      await beside?.before(own)
      beside?.after(own, entry)
    })
    return { ...begun, ...ended }
  }

  async #defineAtOnce(
    entries: Together,
    running: RunningRequest,
    at: At,
    beside?: BesideDefinition,
  ): Promise<QueryOutcome> {
    return await this.#deps.attempts.run({
      snapshot: { readOnly: false },
      running,
      work: (own) => this.#definedIn(own, entries, running, { at, beside }),
      commitTsOf: ({ commitTimestamp }) => commitTimestamp,
    })
  }

  async #definedIn(
    own: Attempt,
    entries: Together,
    running: RunningRequest,
    { at, beside }: { readonly at: At; readonly beside: BesideDefinition | undefined },
  ): Promise<QueryOutcome> {
    const { access, audit, randomness, relaySetting } = this.#deps
    const { transaction, attempts } = own
    await beside?.before(own)
    const isAccess = isAboutAccess(entries[0].statement)
    let tokenId: string | undefined
    const newText = (id?: string) => {
      const made = newHashedText(randomness, id)
      tokenId = made.id
      return made
    }
    const results: StatementResult[] = []
    for (const [index, { statement, parameters }] of entries.entries()) {
      at.index = index
      // With what the one before has changed. Who asks may do all of them, or not even the first.
      const catalog =
        index === 0 ? own.catalog : await this.#deps.attempts.catalogOf(transaction, running)
      results.push(
        isAboutAccess(statement)
          ? await executeAccess(statement, {
              transaction,
              catalog,
              newText,
              jwtIssuer: access.jwtIssuer,
              relays: relaySetting,
              newSecret: () => access.cursorSecrets.next(randomness),
              setRetention: (altering) => this.#setRetention(altering, running),
            })
          : await executeDefinition(statement, { transaction, catalog, parameters }),
      )
      beside?.after({ ...own, catalog }, { statement, parameters })
    }
    at.index = 0
    // After its rights were looked at: others are not told how the log is.
    if (isAccess) await audit.requireWritable()
    const { principal, address, operation, id } = running
    const by = { principal, address, operation, id }
    const commitTimestamp = await committed(transaction, running, (outcome) => {
      for (const { statement } of entries)
        if (statement.kind !== 'alterStore')
          audit.changed(statement, by, { isAccess, tokenId, ...outcome })
    })
    // Who changes the last thing that lets it in still gets its answer.
    if (isAccess) await access.changed(running)
    return { results, readTimestamp: transaction.startTs, commitTimestamp, attempts }
  }

  /** No transaction writes it, so it is told when it has been set: that alone cannot be taken back. */
  async #setRetention(statement: AlterStoreStatement, running: RunningRequest): Promise<void> {
    const { audit, storage } = this.#deps
    await audit.requireWritable()
    await storage.retention.set(Number(statement.retention.ms), running.signal)
    const { principal, address, operation, id } = running
    audit.changed(statement, { principal, address, operation, id }, { isAccess: true })
  }
}

/** Statements of one transaction. */
type Together = readonly [ScriptStatement<LoneStatement>, ...ScriptStatement<LoneStatement>[]]

/** Which one of them is being run. */
type At = { index: number }

/** The statement of this number, and what follows it where all are GRANT and REVOKE. */
function togetherFrom(
  statements: ReadonlyArray<ScriptStatement<LoneStatement>>,
  first: number,
): Together {
  const rest = statements.slice(first)
  const other = rest.findIndex(({ statement: { kind } }) => kind !== 'grant' && kind !== 'revoke')
  return rest.slice(0, other < 0 ? rest.length : Math.max(other, 1)) as unknown as Together
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
