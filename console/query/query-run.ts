// SPDX-License-Identifier: Apache-2.0
import type {
  Database,
  Page,
  Parameters,
  ResultColumn,
  StatementResult,
} from '../../client-sdk/client.ts'
import { extended, NO_ROWS, PAGE_ROWS, type RowWindow } from '../page/row-window.ts'
import { type Explanation, explanationOf } from './plan-steps.ts'

/** What is sent. */
export type Sent = {
  readonly sql: string
  /** Where it stands in the editor's text. */
  readonly from: number
  readonly params: Parameters | undefined
  readonly asOf: number | string | undefined
  readonly transaction: string | undefined
  /** Whether it is one SCAN, which is all that comes by the page. */
  readonly isScan: boolean
}

export type ShownResult = {
  readonly columns: readonly ResultColumn[]
  readonly window: RowWindow
  readonly rowsAffected: number
  readonly unmet: string | undefined
  readonly plan: Explanation | undefined
}

export type Answer = {
  readonly sent: Sent
  readonly results: readonly ShownResult[]
  readonly readTimestamp: number
  readonly commitTimestamp: number | undefined
  readonly attempts: number
  readonly ms: number
  readonly hasMore: boolean
  /** Of the transaction that it has opened. */
  readonly transaction: string | undefined
}

/** A text that was sent: what it was answered, and more of that when it is asked for. */
export class QueryRun {
  readonly #sent: Sent
  readonly #stopping = new AbortController()
  readonly #pages: AsyncGenerator<Page, void, undefined>
  readonly #nowMs: () => number
  #answer: Answer | undefined

  constructor(db: Pick<Database, 'pages'>, sent: Sent, nowMs: () => number) {
    const { sql, params, asOf, transaction, isScan } = sent
    this.#sent = sent
    this.#nowMs = nowMs
    this.#pages = db.pages(sql, params, {
      signal: this.#stopping.signal,
      ...(isScan ? { pageSize: PAGE_ROWS } : {}),
      ...(asOf === undefined || transaction !== undefined ? {} : { asOf }),
      ...(transaction === undefined ? {} : { transaction }),
    })
  }

  /** The answer with its next page. Rejects as `Database.pages`. */
  async next(): Promise<Answer> {
    const startedMs = this.#nowMs()
    const { value: page } = await this.#pages.next()
    if (page === undefined) return this.#ended()
    const known = this.#answer
    const results = page.results.map((result, at) => shown(result, known?.results[at]))
    const { readTimestamp, commitTimestamp, attempts, hasMore, transaction } = page
    const stamps = { readTimestamp, commitTimestamp, attempts, hasMore, transaction }
    this.#answer = { sent: this.#sent, results, ...stamps, ms: this.#nowMs() - startedMs }
    return this.#answer
  }

  /** The server ends it, too, when it learns that nobody waits any more. */
  stop(): void {
    this.#stopping.abort(new Error('It was stopped.'))
  }

  #ended(): Answer {
    const known = this.#answer
    if (known === undefined) throw new Error('The server has answered nothing.')
    return { ...known, hasMore: false }
  }
}

function shown(result: StatementResult, known: ShownResult | undefined): ShownResult {
  const { columns, rows, rowsAffected, unmet } = result
  const window = extended(known?.window ?? NO_ROWS, rows, columns.length)
  // The same columns as before, so that rows which are shown need no new look.
  const shownColumns = known?.columns ?? columns
  return { columns: shownColumns, window, rowsAffected, unmet, plan: explanationOf(result) }
}
