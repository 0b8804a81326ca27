// SPDX-License-Identifier: Apache-2.0
import type { StatementResult } from '../../../planner/planner.ts'
import type { Timestamp, Transaction } from '../../../storage/storage.ts'
import { StatementFailure } from '../../errors/server-error.ts'
import { requireHistory } from '../../guard/history/request-history.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import type { Snapshot } from '../../snapshot.ts'
import { AnswerBudget } from '../answers/query-answer.ts'
import {
  parsedText,
  preparedRequest,
  type QueryOptions,
  type QueryRequest,
} from '../prepared/query-request.ts'
import { snapshotOf } from '../prepared/request-snapshot.ts'
import type { RunningRequest } from '../prepared/running-request.ts'
import { Paging } from '../prepared/scan-paging.ts'
import type { IndexedStatement } from '../prepared/script.ts'
import type { EndedTransactions } from '../transactions/ended-transactions.ts'
import { explained } from '../transactions/explained-error.ts'
import type { StatementDependencies } from './statement-execution.ts'

/** What one SCAN that is to be streamed begins with. */
export type StreamedScan = Pick<QueryOptions, 'minTimestamp' | 'timeoutMs' | 'history'> & {
  readonly entry: IndexedStatement
  readonly asOf?: Timestamp
  /** Where the pages before ended. */
  readonly after?: Uint8Array
}

/** Opens SCANs of any length to be read a short page at a time, as fast as the client takes them. */
export class ScanStreams {
  readonly #deps: StatementDependencies

  constructor(deps: StatementDependencies) {
    this.#deps = deps
  }

  /** Whether it is one SCAN outside of a transaction. Throws ParseError. */
  async isOneScan(request: QueryRequest, running: RunningRequest): Promise<boolean> {
    const { sql = request.statements?.[0]?.sql ?? '' } = request
    if (request.transaction !== undefined || (request.statements?.length ?? 1) !== 1) return false
    const { parser } = this.#deps
    const [first, ...others] = await parsedText(parser, sql, running.turns)
    return first?.kind === 'scan' && first.into === undefined && others.length === 0
  }

  /** Undefined where the request is anything but one SCAN of its own. */
  async scanOf(request: QueryRequest, running: RunningRequest): Promise<StreamedScan | undefined> {
    const { turns } = running
    if (!(await this.isOneScan(request, running))) return undefined
    const { parser, cursors, storage } = this.#deps
    requireHistory(storage.history, request.history, request)
    const prepared = await preparedRequest(parser, request, turns)
    const script = prepared.script(request)
    const [entry] = script.kind === 'transaction' ? script.statements : []
    if (script.kind !== 'transaction' || entry === undefined) return undefined
    const paging = await Paging.of(request, cursors, running.owner)
    const { asOf } = snapshotOf(script, paging, request)
    const { minTimestamp, timeoutMs, history } = request
    return {
      entry,
      ...(history === undefined ? {} : { history }),
      ...(asOf === undefined ? {} : { asOf }),
      ...(paging.page.after === undefined ? {} : { after: paging.page.after }),
      ...(minTimestamp === undefined ? {} : { minTimestamp }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    }
  }

  /**
   * Begins the transaction and reads the first page, so that most of what can be wrong is told before
   * the answer begins; until then it is run again as any other request.
   */
  async open(scan: StreamedScan, running: RunningRequest): Promise<OpenScan> {
    const { attempts, ended } = this.#deps
    const { asOf, minTimestamp, history, timeoutMs } = scan
    running.timeoutMs = timeoutMs
    return await attempts.run({
      snapshot: { readOnly: true, asOf, minTimestamp, history },
      running,
      work: async (own) => {
        const page = (after: Uint8Array | undefined) => this.#page(scan, own, running, after)
        return new OpenScan(own.transaction, ended, await page(scan.after), page)
      },
    })
  }

  async #page(
    scan: StreamedScan,
    { transaction, catalog }: Snapshot,
    running: RunningRequest,
    after: Uint8Array | undefined,
  ): Promise<StatementResult> {
    const { streamPageRows: rows, streamPageBytes: bytes } = SERVER_LIMITS
    const page = { rows, bytes, ...(after === undefined ? {} : { after }) }
    const { timeoutMs } = scan
    const { turns } = running
    try {
      // A page is read in one go, and as many of them may be asked for at a time as there are streams.
      if (!turns.mayBegin) await (after === scan.after ? turns.begin() : turns.pause())
      const [result] = await this.#deps.execution.run([scan.entry], {
        request: timeoutMs === undefined ? {} : { timeoutMs },
        transaction,
        catalog,
        paging: { page, check: () => undefined },
        answer: new AnswerBudget(running),
        running,
      })
      // Rows are on their way: the rest is not refused any more.
      running.admitted()
      return result as StatementResult
    } catch (error) {
      throw explained(error instanceof StatementFailure ? error.cause : error, catalog)
    }
  }
}

/** One SCAN that is being streamed: a transaction that ends with it. */
export class OpenScan {
  readonly readTimestamp: Timestamp
  readonly columns: StatementResult['columns']
  readonly #transaction: Transaction
  readonly #ended: EndedTransactions
  readonly #first: StatementResult
  readonly #page: (after: Uint8Array | undefined) => Promise<StatementResult>

  /** How far it is read; it is counted once. */
  #state: 'unread' | 'reading' | 'counted' = 'unread'

  constructor(
    transaction: Transaction,
    ended: EndedTransactions,
    first: StatementResult,
    page: (after: Uint8Array | undefined) => Promise<StatementResult>,
  ) {
    this.readTimestamp = transaction.startTs
    this.columns = first.columns
    this.#transaction = transaction
    this.#ended = ended
    this.#first = first
    this.#page = page
  }

  /** Each page is read when it is asked for. Can be walked once. */
  async *pages(): AsyncGenerator<StatementResult, void, undefined> {
    let page = this.#first
    this.#state = 'reading'
    while (page.resumeAfter !== undefined) {
      yield page
      page = await this.#next(page.resumeAfter)
    }
    this.#ended.committed(null)
    this.#state = 'counted'
    yield page
  }

  /** A reader that has not asked for a page has only asked for the head; one that has not come to the end has left. */
  close(): void {
    this.#transaction.rollback()
    if (this.#state === 'reading') this.#ended.rolledBack()
    if (this.#state === 'unread') this.#ended.committed(null)
    this.#state = 'counted'
  }

  async #next(after: Uint8Array): Promise<StatementResult> {
    try {
      return await this.#page(after)
    } catch (error) {
      this.#ended.failed(error)
      this.#state = 'counted'
      throw error
    }
  }
}
