// SPDX-License-Identifier: Apache-2.0
import type { Parser } from '../parser/parser.ts'
import type { StatementResult } from '../planner/planner.ts'
import type { Catalog, Timestamp, Transaction } from '../storage/storage.ts'
import type { Cursors } from './cursor.ts'
import { explained } from './explained-error.ts'
import { SERVER_LIMITS } from './limits.ts'
import { AnswerBudget } from './query-answer.ts'
import { parseRequest, type QueryOptions, type QueryRequest } from './query-request.ts'
import { requireMinTimestamp, snapshotOf } from './request-snapshot.ts'
import { retryableCause, withRetries } from './retry.ts'
import type { RunningRequest } from './running-request.ts'
import { Paging } from './scan-paging.ts'
import { type IndexedStatement, readScript } from './script.ts'
import { StatementFailure } from './server-error.ts'
import { type ExecutionParts, StatementExecution } from './statement-execution.ts'
import { Turns } from './turns.ts'

type StreamParts = ExecutionParts & { readonly parser: Parser; readonly cursors: Cursors }

/** What one SCAN that is to be streamed begins with. */
export type StreamedScan = Pick<QueryOptions, 'minTimestamp' | 'timeoutMs'> & {
  readonly entry: IndexedStatement
  readonly asOf?: Timestamp
  /** Where the pages before ended. */
  readonly after?: Uint8Array
}

/** Opens SCANs of any length to be read a short page at a time, as fast as the client takes them. */
export class ScanStreams {
  readonly #parts: StreamParts
  readonly #execution: StatementExecution

  constructor(parts: StreamParts) {
    this.#parts = parts
    this.#execution = new StatementExecution(parts)
  }

  /** Whether it is one SCAN outside of a transaction. Throws ParseError. */
  isOneScan(request: QueryRequest): boolean {
    const { sql = request.statements?.[0]?.sql ?? '' } = request
    if (request.transaction !== undefined || (request.statements?.length ?? 1) !== 1) return false
    const [first, ...others] = this.#parts.parser.parseScript(sql)
    return first?.kind === 'scan' && others.length === 0
  }

  /** Undefined where the request is anything but one SCAN of its own. */
  async scanOf(request: QueryRequest, running: RunningRequest): Promise<StreamedScan | undefined> {
    if (!this.isOneScan(request)) return undefined
    const { parser, turnQueue, clock, cursors } = this.#parts
    const turns = new Turns(turnQueue, clock, running.signal)
    const script = readScript(await parseRequest(parser, request, turns))
    const [entry] = script.kind === 'transaction' ? script.statements : []
    if (script.kind !== 'transaction' || entry === undefined) return undefined
    const paging = Paging.of(request, script.statements, cursors)
    const { asOf } = snapshotOf(script, paging, request)
    const { minTimestamp, timeoutMs } = request
    return {
      entry,
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
    const { storage } = this.#parts
    const { asOf } = scan
    const { signal } = running
    const mayRetry = (error: unknown) => asOf === undefined && retryableCause(error)
    return withRetries({ ...this.#parts, signal, mayRetry }, async () => {
      const snapshot = { readOnly: true, ...(asOf === undefined ? {} : { asOf }) }
      const transaction = await storage.begin(snapshot)
      let catalog: Catalog | undefined
      try {
        requireMinTimestamp(scan, snapshot, transaction.startTs)
        catalog = await storage.catalog(transaction)
        const found = catalog
        const page = (after: Uint8Array | undefined) =>
          this.#page({ scan, transaction, catalog: found, running, after })
        return new OpenScan(transaction, await page(scan.after), page)
      } catch (error) {
        transaction.rollback()
        throw explained(error, catalog)
      }
    })
  }

  async #page({
    scan,
    transaction,
    catalog,
    running,
    after,
  }: {
    readonly scan: StreamedScan
    readonly transaction: Transaction
    readonly catalog: Catalog
    readonly running: RunningRequest
    readonly after: Uint8Array | undefined
  }): Promise<StatementResult> {
    const { streamPageRows: rows, streamPageBytes: bytes } = SERVER_LIMITS
    const page = { rows, bytes, ...(after === undefined ? {} : { after }) }
    const { timeoutMs } = scan
    try {
      const [result] = await this.#execution.run([scan.entry], {
        request: timeoutMs === undefined ? {} : { timeoutMs },
        transaction,
        catalog,
        paging: { page, check: () => undefined },
        answer: new AnswerBudget(running.unsent),
        running,
      })
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
  readonly #first: StatementResult
  readonly #page: (after: Uint8Array | undefined) => Promise<StatementResult>

  constructor(
    transaction: Transaction,
    first: StatementResult,
    page: (after: Uint8Array | undefined) => Promise<StatementResult>,
  ) {
    this.readTimestamp = transaction.startTs
    this.columns = first.columns
    this.#transaction = transaction
    this.#first = first
    this.#page = page
  }

  /** Each page is read when it is asked for. Can be walked once. */
  async *pages(): AsyncGenerator<StatementResult, void, undefined> {
    let page = this.#first
    while (true) {
      yield page
      if (page.resumeAfter === undefined) return
      page = await this.#page(page.resumeAfter)
    }
  }

  close(): void {
    this.#transaction.rollback()
  }
}
