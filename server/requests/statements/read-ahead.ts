// SPDX-License-Identifier: Apache-2.0
import { type ExecutionContext, type Plan, PlanError, rowsNamed } from '../../../planner/planner.ts'
import type { Transaction } from '../../../storage/storage.ts'
import { prefetchRows, type RowsRequest } from '../../../storage/tables/tables.ts'
import { type IndexedStatement, intoOf } from '../prepared/script.ts'

/** As many keys as are read together; a statement that names more of them reads them on its own. */
const KEYS_MAX = 100

type Ahead = {
  readonly transaction: Pick<Transaction, 'prefetch'>
  /** Throws PlanError. */
  readonly planOf: (entry: IndexedStatement) => Plan | undefined
  readonly contextOf: (
    entry: IndexedStatement,
  ) => Pick<ExecutionContext, 'parameters' | 'claims' | 'functions' | 'work'>
}

/**
 * Reads the rows that the statements of a request name by their keys together, before the first of them runs
 * (Percolator 2.5, prefetching): over a store on the network that is one round trip for all of them. It changes no
 * answer, since a transaction reads a snapshot. A statement with a mistake is left alone, and meets it when it runs.
 */
export class ReadAhead {
  readonly #statements: readonly IndexedStatement[]
  readonly #ahead: Ahead
  /** The statements before this one have been looked at. */
  #upTo = 0

  constructor(statements: readonly IndexedStatement[], ahead: Ahead) {
    this.#statements = statements
    this.#ahead = ahead
  }

  /** To be awaited before the statement at this place runs; undefined when its rows are at hand, or it names none. */
  before(place: number): Promise<void> | undefined {
    if (place < this.#upTo) return undefined
    const requests: RowsRequest[] = []
    let keyCount = 0
    this.#upTo = place
    const unread = new Set<string | number>()
    for (const entry of this.#statements.slice(place)) {
      if (unread.size > 0 && this.#mayNeed(entry, unread)) break
      const named = this.#rowsOf(entry)
      const count = named?.keyTuples.length ?? 0
      if (requests.length > 0 && keyCount + count > KEYS_MAX) break
      this.#upTo += 1
      for (const { text } of intoOf(entry.statement)?.names ?? []) unread.add(text)
      if (named === undefined || count > KEYS_MAX) continue
      requests.push(named)
      keyCount += count
    }
    return requests.length > 1 ? prefetchRows(this.#ahead.transaction, requests) : undefined
  }

  /** Whether its rows may follow from what statements before it have yet to read. */
  #mayNeed(entry: IndexedStatement, unread: ReadonlySet<string | number>): boolean {
    try {
      const plan = this.#ahead.planOf(entry)
      return plan !== undefined && 'slots' in plan && plan.slots.some(({ key }) => unread.has(key))
    } catch (error) {
      // The type of such a value is not known yet.
      if (error instanceof PlanError) return true
      throw error
    }
  }

  #rowsOf(entry: IndexedStatement): RowsRequest | undefined {
    try {
      const plan = this.#ahead.planOf(entry)
      return plan && rowsNamed(plan, this.#ahead.contextOf(entry))
    } catch (error) {
      if (error instanceof PlanError) return undefined
      throw error
    }
  }
}
