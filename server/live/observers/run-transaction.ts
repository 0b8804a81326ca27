// SPDX-License-Identifier: Apache-2.0
import type { Parser } from '../../../parser/parser.ts'
import type { Parameters, StatementResult } from '../../../planner/planner.ts'
import type { Transaction } from '../../../storage/storage.ts'
import type { Catalog } from '../../../storage/tables/tables.ts'
import { ServerError, StatementFailure } from '../../errors/server-error.ts'
import { AnswerBudget, rowToJson } from '../../requests/answers/query-answer.ts'
import type { Cursors } from '../../requests/prepared/cursor.ts'
import { PreparedScript } from '../../requests/prepared/prepared-script.ts'
import { checkedParameters } from '../../requests/prepared/query-request.ts'
import type { RunningRequest } from '../../requests/prepared/running-request.ts'
import { Paging } from '../../requests/prepared/scan-paging.ts'
import { requireParametersUsed } from '../../requests/prepared/unused-parameters.ts'
import type { StatementExecution } from '../../requests/statements/statement-execution.ts'
import { explained } from '../../requests/transactions/explained-error.ts'
import { endsTransaction } from '../../requests/transactions/retry.ts'
import type { ObservedRow, ObserverQueryResult, ObserverTransaction } from './define-observer.ts'

export type RunTransactionDependencies = {
  readonly parser: Parser
  readonly cursors: Cursors
  readonly execution: StatementExecution
}

/** What a function of this process does its work with. */
export class RunTransaction implements ObserverTransaction {
  readonly #deps: RunTransactionDependencies
  readonly #transaction: Transaction
  readonly #catalog: Catalog
  readonly #running: RunningRequest
  #last: Promise<unknown> = Promise.resolve()
  #ending: unknown
  #hasEnded = false

  constructor(
    deps: RunTransactionDependencies,
    inside: {
      readonly transaction: Transaction
      readonly catalog: Catalog
      readonly running: RunningRequest
    },
  ) {
    this.#deps = deps
    this.#transaction = inside.transaction
    this.#catalog = inside.catalog
    this.#running = inside.running
  }

  get readTimestamp(): number {
    return this.#transaction.startTs
  }

  get signal(): AbortSignal {
    return this.#running.signal
  }

  query<Row = ObservedRow>(sql: string, params?: Parameters): Promise<ObserverQueryResult<Row>> {
    const running = this.#last.then(() => this.#query(sql, params))
    this.#last = running.catch(() => undefined)
    return running as Promise<ObserverQueryResult<Row>>
  }

  /**
   * To be called when the function has come to its end: waits for statements that it did not wait for
   * itself. Rejects with the error that ended the transaction, if the function has gone on regardless.
   */
  async end(): Promise<void> {
    await this.#last
    this.#hasEnded = true
    if (this.#ending !== undefined) throw this.#ending
  }

  async #query(sql: string, params: Parameters | undefined): Promise<ObserverQueryResult> {
    if (this.#hasEnded) throw hasEnded()
    if (this.#ending !== undefined) throw this.#ending
    try {
      return answerOf(await this.#run(sql, params))
    } catch (failure) {
      const error = failure instanceof StatementFailure ? failure.cause : failure
      const known = explained(error, this.#catalog)
      if (endsTransaction(error)) this.#ending = known
      throw known
    }
  }

  async #run(sql: string, params: Parameters | undefined): Promise<StatementResult> {
    const parameters = checkedParameters(params)
    const prepared = PreparedScript.of(this.#deps.parser.parseScript(sql))
    requireParametersUsed(parameters, prepared)
    const { statements, end } = prepared.inner({ params: parameters })
    if (end !== undefined) throw endsByItself()
    if (statements.length > 1) {
      throw new ServerError('invalid_request', 'A query of an observer is one statement.')
    }
    const [result] = await this.#deps.execution.run(statements, {
      request: {},
      transaction: this.#transaction,
      catalog: this.#catalog,
      paging: Paging.whole,
      answer: new AnswerBudget(),
      running: this.#running,
    })
    return result as StatementResult
  }
}

function answerOf({ columns, rows, rowsAffected, unmet }: StatementResult): ObserverQueryResult {
  return {
    columns,
    rows: rows.map((row) => rowToJson(columns, row)),
    rowsAffected,
    ...(unmet === undefined ? {} : { unmet }),
  }
}

function endsByItself(): ServerError {
  const detail = 'The transaction of an observer is committed when its function has ended.'
  return new ServerError('script_mixture', detail, { hint: 'throw an error to roll it back' })
}

function hasEnded(): ServerError {
  return new ServerError('transaction_closed', 'The run of the observer has ended.')
}
