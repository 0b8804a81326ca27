// SPDX-License-Identifier: Apache-2.0
import {
  type Database,
  type Page,
  type Parameters,
  PercoliteError,
  type ResultColumn,
  type ScriptAnswer,
  type StatementResult,
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
  readonly hint: string | undefined
  readonly plan: Explanation | undefined
}

export type Answer = {
  readonly sent: Sent
  readonly results: readonly ShownResult[]
  /** Undefined, and so are the attempts, of a script: each part of it has its own. */
  readonly readTimestamp: number | undefined
  readonly commitTimestamp: number | undefined
  readonly attempts: number | undefined
  readonly ms: number
  readonly hasMore: boolean
  /** Of the transaction that it has opened. */
  readonly transaction: string | undefined
}

/** A text that was sent: what it was answered, and more of that when it is asked for. */
export class QueryRun {
  readonly #db: Pick<Database, 'pages' | 'script'>
  readonly #sent: Sent
  readonly #stopping = new AbortController()
  readonly #pages: AsyncGenerator<Page, void, undefined>
  readonly #nowMs: () => number
  #answer: Answer | undefined

  constructor(db: Pick<Database, 'pages' | 'script'>, sent: Sent, nowMs: () => number) {
    const { sql, params, asOf, transaction, isScan } = sent
    this.#db = db
    this.#sent = sent
    this.#nowMs = nowMs
    this.#pages = db.pages(sql, params, {
      signal: this.#stopping.signal,
      ...(isScan ? { pageSize: PAGE_ROWS } : {}),
      ...(asOf === undefined || transaction !== undefined ? {} : { asOf }),
      ...(transaction === undefined ? {} : { transaction }),
    })
  }

  /** The answer with its next page. Rejects as `Database.pages` and `Database.script`. */
  async next(): Promise<Answer> {
    const startedMs = this.#nowMs()
    const page = await this.#page()
    if (page === undefined) return this.#ended()
    const known = this.#answer
    const results = page.results.map((result, at) => shown(result, known?.results[at]))
    const stamps = 'readTimestamp' in page ? stampsOf(page) : stampsOfScript(page)
    this.#answer = { sent: this.#sent, results, ...stamps, ms: this.#nowMs() - startedMs }
    return this.#answer
  }

  /** A text with definitions is no transaction but a script, where nothing is given that a script has not. */
  async #page(): Promise<Page | ScriptAnswer | undefined> {
    try {
      return (await this.#pages.next()).value ?? undefined
    } catch (error) {
      const { sql, params, asOf, transaction } = this.#sent
      const isAlone = params === undefined && asOf === undefined && transaction === undefined
      if (!isAlone || !isOfScript(error)) throw error
      return await this.#db.script(sql, { signal: this.#stopping.signal })
    }
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

/** The server refuses such a text as one transaction, and its hint says where it runs. */
function isOfScript(error: unknown): boolean {
  return (
    error instanceof PercoliteError && error.code === 'script_mixture' && error.hint !== undefined
  )
}

function stampsOf({ readTimestamp, commitTimestamp, attempts, hasMore, transaction }: Page) {
  return { readTimestamp, commitTimestamp, attempts, hasMore, transaction }
}

function stampsOfScript({ results }: ScriptAnswer) {
  const commitTimestamp = results.findLast((result) => result.commitTimestamp)?.commitTimestamp
  const none = { readTimestamp: undefined, attempts: undefined, transaction: undefined }
  return { ...none, commitTimestamp, hasMore: false }
}

function shown(result: StatementResult, known: ShownResult | undefined): ShownResult {
  const { columns, rows, rowsAffected, unmet, hint } = result
  const window = extended(known?.window ?? NO_ROWS, rows, columns.length)
  // The same columns as before, so that rows which are shown need no new look.
  const shownColumns = known?.columns ?? columns
  const plan = explanationOf(result)
  return { columns: shownColumns, window, rowsAffected, unmet, hint, plan }
}
