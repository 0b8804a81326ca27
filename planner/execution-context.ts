// SPDX-License-Identifier: Apache-2.0
import { setImmediate } from 'node:timers/promises'
import type { Catalog, SqlType, SqlValue, Transaction } from '../storage/storage.ts'
import type { Scope, StatementFunctions } from './compiled-expression.ts'
import { bindParameters, type ParameterSlot, type Parameters } from './parameters.ts'
import { PLANNER_LIMITS } from './planner-limits.ts'

/** What one run of a plan works with. */
export type ExecutionContext = {
  readonly transaction: Transaction
  /** The catalog of the transaction's snapshot, for which the plan was made. */
  readonly catalog: Catalog
  readonly parameters: Parameters
  readonly functions: StatementFunctions
  /** Looked at between batches of rows; its reason is thrown. */
  readonly signal?: AbortSignal
  /** Present when a SCAN may be answered in pages. */
  readonly page?: PageRequest
  /** A clock that never goes back, for EXPLAIN ANALYZE; without one it tells no time. */
  readonly monotonicMs?: () => number
}

/** A page of a SCAN ends after so many rows, or when their values take about so many bytes. */
export type PageRequest = {
  readonly rows: number
  readonly bytes: number
  /** `resumeAfter` of the page before. */
  readonly after?: Uint8Array
}

export type StatementResult = {
  readonly columns: ReadonlyArray<{ readonly name: string; readonly type: SqlType }>
  readonly rows: SqlValue[][]
  readonly rowsAffected: number
  /**
   * Present when the page ended before the SCAN did: where the next one begins, to be given back as
   * it is with the same statement, parameters and snapshot. A page may be empty and have one.
   */
  readonly resumeAfter?: Uint8Array
}

/** Rows that a run has read from the store so far, kept or not; for EXPLAIN ANALYZE. */
export type RowCounts = { read: number }

/** A scope without a row; throws PlanError when a parameter is absent or does not fit. */
export function scopeOf(slots: readonly ParameterSlot[], context: ExecutionContext): Scope {
  const parameters = bindParameters(slots, context.parameters)
  return { row: [], parameters, functions: context.functions }
}

/**
 * Counts rows and, every `turnRowsMax` of them, looks at the signal and lets the rest of the process
 * have its turn: rows that are at hand would otherwise follow each other without a pause.
 */
export class TurnTaking {
  readonly #signal: AbortSignal | undefined
  #rows = 0

  constructor(signal: AbortSignal | undefined) {
    signal?.throwIfAborted()
    this.#signal = signal
  }

  /** True when it is time for `pause`, which is separate so that most rows cost no promise. */
  isDue(rows = 1): boolean {
    this.#rows += rows
    return this.#rows >= PLANNER_LIMITS.turnRowsMax
  }

  async pause(): Promise<void> {
    this.#rows = 0
    await setImmediate()
    this.#signal?.throwIfAborted()
  }
}
