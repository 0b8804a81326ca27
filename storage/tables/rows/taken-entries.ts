// SPDX-License-Identifier: Apache-2.0

import { keyString } from '../../cells/row-key.ts'
import { belongsTo, type EncodedEntry } from '../bytes/index-entry.ts'
import type { SqlRow, TableDefinition } from '../table-definition.ts'
import { type UniqueConflict, uniqueViolation } from './unique-conflict.ts'

type Taken = {
  readonly conflict: UniqueConflict
  /** The value of the entry of the row that it was taken from. */
  readonly owner: Uint8Array
  readonly takenBy: SqlRow
}

/**
 * The unique entries that a statement has taken from rows that it may still change. SQL compares at the end of a
 * statement: with a unique index on n, and rows 1, 2 and 3, `n = n + 1` makes them 2, 3 and 4.
 *
 *     row 1 becomes 2   takes the entry 2 from row 2      taken: 2 of row 2
 *     row 2 becomes 3   gives up 2, takes 3 from row 3    taken: 3 of row 3
 *     row 3 becomes 4   gives up 3                        taken: nothing, and all is well
 *
 * What is still taken at the end is a conflict. One of these is for one statement, across all of its calls of
 * `changeRows`. Each row is changed once: what another row of the statement has become, it does not give up.
 */
export class TakenEntries {
  readonly #taken = new Map<string, Taken>()
  #rows: ReadonlyArray<SqlRow | null> = []

  get isEmpty(): boolean {
    return this.#taken.size === 0
  }

  /** A row that took an entry which has not been given up; undefined where all is well. */
  get remaining(): SqlRow | undefined {
    const [first] = this.#taken.values()
    return first?.takenBy
  }

  /** Throws `unique_violation` of the change 0 where an entry has not been given up. */
  requireGivenUp(table: TableDefinition): void {
    const [first] = this.#taken.values()
    if (first !== undefined) throw uniqueViolation(table, first.conflict, 0)
  }

  /** These are the rows after the changes that come next. */
  begin(rows: ReadonlyArray<SqlRow | null>): void {
    this.#rows = rows
  }

  /** `owner` is the value of the entry so far, `change` the position of the change that takes it. */
  take(conflict: UniqueConflict, owner: Uint8Array, change: number): void {
    const takenBy = this.#rows[change] ?? []
    this.#taken.set(keyString(conflict.entry), { conflict, owner, takenBy })
  }

  /** Whether the entry was taken from this row, which now gives it up. */
  giveUp(deleted: EncodedEntry): boolean {
    const key = keyString(deleted.key)
    const taken = this.#taken.get(key)
    return taken !== undefined && belongsTo(deleted, taken.owner) && this.#taken.delete(key)
  }
}
