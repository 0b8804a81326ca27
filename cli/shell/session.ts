// SPDX-License-Identifier: Apache-2.0
import {
  type Database,
  type Page,
  type Parameter,
  PercoliteError,
  type TransactionOutcome,
} from '../../client-sdk/client.ts'

/** What the session has open. A lost transaction is one that the server has ended, or of which nobody knows. */
type State =
  | { readonly kind: 'none' }
  | { readonly kind: 'open'; readonly id: string }
  | { readonly kind: 'lost'; readonly id: string; readonly isUnknown: boolean }

/** A shell's connection to its server: statements run in the transaction that is open, with the values that are set. */
export class Session {
  readonly db: Database
  readonly variables = new Map<string, Parameter>()
  /** What statements outside of a transaction read as of; the present where it is undefined. */
  asOf: string | number | undefined
  #state: State = { kind: 'none' }

  constructor(db: Database) {
    this.db = db
  }

  get state(): State {
    return this.#state
  }

  /**
   * The pages of what a text of statements is answered. Rejects with PercoliteError, with what a signal was aborted
   * for, and with Error for a text that needs the transaction that was lost.
   */
  async *run(sql: string, signal: AbortSignal): AsyncGenerator<Page, void, undefined> {
    if (this.#state.kind === 'lost') {
      yield* this.#leaveLost(sql)
      return
    }
    if (this.#state.kind === 'open') yield* this.#runInside(this.#state.id, sql, signal)
    else yield* this.#runOutside(sql, signal)
  }

  /** Ends what is open; resolves to whether there was something. */
  async leave(): Promise<boolean> {
    const state = this.#state
    this.#state = { kind: 'none' }
    if (state.kind === 'open') await this.#rollBack(state.id)
    return state.kind === 'open'
  }

  async *#runOutside(sql: string, signal: AbortSignal): AsyncGenerator<Page, void, undefined> {
    for await (const page of this.#pages(sql, signal)) {
      if (page.transaction !== undefined) this.#state = { kind: 'open', id: page.transaction }
      yield page
    }
  }

  /** A statement may end the transaction, by COMMIT or by what goes wrong: then it is asked what became of it. */
  async *#runInside(
    id: string,
    sql: string,
    signal: AbortSignal,
  ): AsyncGenerator<Page, void, undefined> {
    try {
      yield* this.#pages(sql, signal)
    } catch (error) {
      // Nobody knows whether it holds what a statement that was stopped would have written.
      if (signal.aborted) await this.#rollBack(id)
      const outcome = await this.#outcomeOf(id)
      if (outcome === 'committed') {
        // Only the answer was lost.
        this.#state = { kind: 'none' }
        yield NOTHING
        return
      }
      if (outcome !== 'active') this.#state = { kind: 'lost', id, isUnknown: outcome === 'unknown' }
      throw error
    }
    if ((await this.#outcomeOf(id)) !== 'active') this.#state = { kind: 'none' }
  }

  /** With the values that stand in the text. Which do is the server's to say: what it does not find is left out. */
  async *#pages(sql: string, signal: AbortSignal): AsyncGenerator<Page, void, undefined> {
    const names = [...this.variables.keys()].filter((name) => sql.includes(`:${name}`))
    const transaction = this.#state.kind === 'open' ? { transaction: this.#state.id } : {}
    const asOf = this.#state.kind === 'open' || this.asOf === undefined ? {} : { asOf: this.asOf }
    for (;;) {
      const params = Object.fromEntries(names.map((name) => [name, this.variables.get(name)]))
      const given = names.length === 0 ? undefined : params
      try {
        yield* this.db.pages(sql, given, { signal, ...transaction, ...asOf })
        return
      } catch (error) {
        const unused = unusedName(error)
        if (unused === undefined || !names.includes(unused)) throw error
        names.splice(names.indexOf(unused), 1)
      }
    }
  }

  async #outcomeOf(id: string): Promise<TransactionOutcome['status']> {
    try {
      return (await this.db.transactionOutcome(id)).status
    } catch {
      return 'unknown'
    }
  }

  async #rollBack(id: string): Promise<void> {
    // The server finds out by its timeout if it cannot be told.
    await this.db.request('DELETE', `/v1/transactions/${id}`).catch(() => undefined)
  }

  async *#leaveLost(sql: string): AsyncGenerator<Page, void, undefined> {
    if (/^\s*rollback\s*;?\s*$/i.test(sql)) {
      this.#state = { kind: 'none' }
      yield NOTHING
      return
    }
    const { state } = this
    const isUnknown = state.kind === 'lost' && state.isUnknown
    const what = isUnknown
      ? `It is not known what became of the transaction ${state.id}`
      : 'The transaction was lost'
    throw new Error(`${what}, so this was not sent: ROLLBACK; leaves it.`)
  }
}

/** As of COMMIT and ROLLBACK. */
const NOTHING: Page = {
  results: [{ columns: [], rows: [], rowsAffected: 0 }],
  rowsAffected: 0,
  ...{ readTimestamp: 0, commitTimestamp: undefined, attempts: 0, hasMore: false },
}

/** The name of a value that the server does not find in the text. */
function unusedName(error: unknown): string | undefined {
  if (!(error instanceof PercoliteError) || error.code !== 'invalid_request') return undefined
  const { parameter, in: place } = error.fields
  return typeof parameter === 'string' && place === undefined ? parameter : undefined
}
