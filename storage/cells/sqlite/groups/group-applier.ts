// SPDX-License-Identifier: Apache-2.0
import type { Database } from 'better-sqlite3'
import { FAMILIES } from '../../cell.ts'
import { CellStoreError, type Increment, type RowStep } from '../../cell-store.ts'
import type { Mutation } from '../../mutation.ts'
import { counterValue, incrementedCell } from '../../mutation-application.ts'
import { cellOfNotes } from '../../note.ts'
import type { RowFilter } from '../../row-filter.ts'
import type { StreamPosition } from '../../store-replication.ts'
import { SqliteRowReader } from '../cells/row-reader.ts'
import { isDamage, sentError } from '../error.ts'
import type { GroupNumbers } from './group-numbers.ts'
import type { SqliteTransactions } from './transactions.ts'
import type { BatchFailure, BatchResult, IncrementBatch, WriteBatch } from './write-batch.ts'

/** The same object for all batches of a group, because a message copies an object only once. */
const MATCHED: BatchResult = Object.freeze([true])

const WHOLE_ROW: RowFilter = FAMILIES.map((family) => ({ family }))

/** A group of another store, and its number there. */
export type NumberedGroup = {
  readonly position: StreamPosition
  readonly batches: readonly WriteBatch[]
}

type GroupResult = readonly BatchResult[] | BatchFailure

/** Applies the batches of a group in one SQLite transaction: one disk sync for all of them. */
export class SqliteGroupApplier {
  readonly #transactions: SqliteTransactions
  readonly #numbers: GroupNumbers
  readonly #reader: SqliteRowReader

  constructor(database: Database, transactions: SqliteTransactions, numbers: GroupNumbers) {
    this.#transactions = transactions
    this.#numbers = numbers
    this.#reader = new SqliteRowReader(database)
  }

  /**
   * One result for each batch. A group that was rolled back is tried again batch by batch, in order, so that only a
   * batch that cannot be applied fails, and later ones see the earlier ones.
   */
  applyGroup(batches: readonly WriteBatch[], position?: StreamPosition): readonly BatchResult[] {
    const result = this.#applyTogether(batches, position)
    if (!('kind' in result)) return result
    if (result.kind === 'unknown') return batches.map(() => result)
    if (isFilled(batches) && batches.length === 1) return [this.#withRow(result, batches[0])]
    const results: BatchResult[] = []
    if (position !== undefined) this.#numbers.leave(position)
    for (const batch of batches) {
      const alone = this.#applyTogether([batch], position)
      if (!('kind' in alone)) results.push(...alone)
      else results.push(this.#withRow(alone, batch))
    }
    return results
  }

  /**
   * Applies groups of another store as they were applied there, in one transaction: what was true of a condition
   * there is true here, because everything before is the same. Returns why none of them was, or null.
   */
  replay(groups: readonly NumberedGroup[]): BatchFailure | null {
    let last = this.#numbers.position
    const result = this.#transactions.inOne(() => {
      for (const { position, batches } of groups) {
        for (const batch of batches) this.#apply(batch)
        this.#applyNotes(batches)
        this.#numbers.follow(position, last)
        last = position
      }
    })
    if (!result.done) return result.failure
    if (last !== undefined) this.#numbers.followed(last)
    return null
  }

  /** SQLite does not say for which row it needed a damaged page. */
  #withRow(failure: BatchFailure, batch: WriteBatch): BatchFailure {
    if (!isDamage(failure.cause)) return failure
    const rows = batch.kind === 'increment' ? [batch.row] : batch.steps.map(({ row }) => row)
    const row = rows.find((key) => {
      try {
        this.#reader.readRow(key, WHOLE_ROW)
        return false
      } catch (error) {
        return isDamage(error)
      }
    })
    return { ...failure, row }
  }

  #applyTogether(
    batches: readonly WriteBatch[],
    position: StreamPosition | undefined,
  ): GroupResult {
    const result = this.#numbers.inOne(position, () => {
      const results = batches.map((batch) => this.#apply(batch))
      this.#applyNotes(batches)
      return results
    })
    return result.done ? result.answer : result.failure
  }

  #apply(batch: WriteBatch): BatchResult {
    if (batch.kind === 'increment') return this.#increment(batch)
    const { steps } = batch
    if (steps.every(isUnconditional)) {
      for (const { row, otherwise } of steps) this.#mutate(row, otherwise)
      return null
    }
    for (const { row, when } of steps) {
      for (const { family } of when) this.#transactions.writes.settleRow(row, family)
    }
    // All predicates first: a step must not see the mutations of another step of its batch.
    const matched = steps.map(({ row, when }) => this.#reader.matches(row, when))
    for (let at = 0; at < steps.length; at++) {
      const { row, ifMatched, otherwise } = steps[at] as RowStep
      this.#mutate(row, matched[at] ? ifMatched : otherwise)
    }
    if (!matched.includes(true)) return null
    return matched.length === 1 ? MATCHED : matched
  }

  /** Writes the notes of the group as one cell. */
  #applyNotes(batches: readonly WriteBatch[]): void {
    const notes = batches.flatMap((batch) =>
      batch.kind === 'steps' && batch.note !== undefined ? [batch.note] : [],
    )
    if (!isFilled(notes)) return
    const { row, mutations } = cellOfNotes(notes)
    this.#mutate(row, mutations)
  }

  #increment({ row, increments }: IncrementBatch): BatchResult {
    const changed = (increment: Increment) => {
      const { family, qualifier } = increment
      this.#transactions.writes.settleRow(row, family)
      const [newest] = this.#reader.readRow(row, [{ family, qualifier, newest: 1 }])
      return incrementedCell(newest, increment)
    }
    try {
      // All are read before the first is written, so a cell that is not a counter leaves the row unchanged.
      for (const increment of increments) changed(increment)
    } catch (error) {
      if (error instanceof CellStoreError) return { kind: 'invalid', cause: sentError(error) }
      throw error
    }
    return increments.map((increment) => {
      const cell = changed(increment)
      this.#mutate(row, [{ kind: 'setCell', ...cell }])
      return counterValue(cell.value)
    })
  }

  #mutate(row: Uint8Array, mutations: readonly Mutation[]): void {
    const { writes } = this.#transactions
    for (const mutation of mutations) {
      if (mutation.kind === 'setCell') writes.set(row, mutation)
      else writes.deleteFromColumn(row, mutation)
    }
  }
}

function isFilled<T>(list: readonly T[]): list is readonly [T, ...T[]] {
  return list.length > 0
}

function isUnconditional({ when }: RowStep): boolean {
  return when.length === 0
}
