// SPDX-License-Identifier: Apache-2.0
import { type AddingStatement, checkBeingAdded, executePlan } from '../../../planner/planner.ts'
import type { Timestamp } from '../../../storage/storage.ts'
import { endAdding } from '../../../storage/tables/tables.ts'
import { RunningRequest } from '../prepared/running-request.ts'
import { type Attempt, commitWritten } from '../transactions/attempt.ts'
import type { StatementDependencies } from './statement-execution.ts'
import { statementMeter } from './statement-meter.ts'

/** When the addition ended. */
export type CheckAdded = {
  readonly readTimestamp: Timestamp
  readonly commitTimestamp: Timestamp | null
}

/**
 * Looks at the rows that were there before a check. What is written since the statement has committed it meets it, and
 * what could still commit by the definition of before has failed; so any snapshot of later tells of all rows, and what
 * it has found stays true.
 */
export class AddedChecks {
  readonly #deps: StatementDependencies

  constructor(deps: StatementDependencies) {
    this.#deps = deps
  }

  /**
   * Ends the addition; `beside` is done in the transaction of its end. Takes the check back for a row that fails it,
   * which is PlanError check_failed, and for whatever else goes wrong: a statement has its time. A process that ends
   * meanwhile leaves a check that is met by what is written; the same statement goes on from there.
   */
  async end(
    statement: AddingStatement,
    running: RunningRequest,
    beside: (own: Attempt) => Promise<void>,
  ): Promise<CheckAdded> {
    const { attempts } = this.#deps
    try {
      await attempts.run({
        snapshot: { readOnly: true },
        running,
        work: (own) => this.#requireNoneFailing(statement, own, running),
        commitTsOf: () => undefined,
      })
      return await attempts.run({
        snapshot: { readOnly: false },
        running,
        work: async (own) => {
          await beside(own)
          return await ended(statement, own, running, true)
        },
        commitTsOf: ({ commitTimestamp }) => commitTimestamp,
      })
    } catch (error) {
      await this.#takeBack(statement)
      throw error
    }
  }

  /** The request may be over, and what it has begun has to end all the same. */
  async #takeBack(statement: AddingStatement): Promise<void> {
    const running = new RunningRequest()
    try {
      await this.#deps.attempts.run({
        snapshot: { readOnly: false },
        running,
        work: (own) => ended(statement, own, running, false),
        commitTsOf: ({ commitTimestamp }) => commitTimestamp,
      })
    } catch {
      // Then it stays as it is for a process that ended meanwhile; why it was to be taken back is told.
    } finally {
      running.end()
    }
  }

  /** Of all rows, whatever the rules of whoever asks hide. */
  async #requireNoneFailing(
    statement: AddingStatement,
    { transaction, catalog: seen }: Attempt,
    running: RunningRequest,
  ): Promise<void> {
    const { storage, clock, plans, statementTimeoutMs: most } = this.#deps
    const adding = checkBeingAdded(seen, statement)
    if (adding === undefined) return
    const catalog = await storage.catalog(transaction)
    const timeoutMs = Math.min(most, running.limits.statement ?? most)
    const monotonicMs = () => clock.monotonicMs()
    const executed = executePlan(plans.plan(adding.failing, catalog), {
      transaction,
      catalog,
      parameters: [],
      functions: { now: BigInt(transaction.now), uuid: () => '', nextNumbers: () => [] },
      work: statementMeter(running, timeoutMs, monotonicMs),
      signal: running.signal,
      turns: running.turns,
      monotonicMs,
    })
    const { rows } = await running.withinTime(timeoutMs, Promise.resolve(executed))
    if (rows[0] !== undefined) throw adding.failed(rows[0])
  }
}

async function ended(
  statement: AddingStatement,
  { transaction, catalog }: Attempt,
  running: RunningRequest,
  isMet: boolean,
): Promise<CheckAdded> {
  const adding = checkBeingAdded(catalog, statement)
  if (adding !== undefined) {
    const { table, name, isNotNull } = adding
    await transaction.statement(() =>
      endAdding(transaction, catalog, table, { name, isMet, isNotNull }),
    )
  }
  const commitTimestamp = await commitWritten(transaction, running)
  return { readTimestamp: transaction.startTs, commitTimestamp }
}
