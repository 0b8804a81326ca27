// SPDX-License-Identifier: Apache-2.0
import { accessOf, type Plan, rowCountOf, type StatementResult } from '../../../planner/planner.ts'
import type { Catalog } from '../../../storage/tables/tables.ts'
import { DurationHistogram } from './duration-histogram.ts'
import type { SlowStatement, SlowStatements } from './slow-statements.ts'

type PlannedAccess = ReturnType<typeof accessOf>

/** What the statements of one shape have come to. */
export class ShapeFigures {
  readonly shape: string
  readonly durations = new DurationHistogram()
  readonly #errors = new Map<string, number>()
  #rowsReturned = 0
  #rowsWritten = 0
  #access: PlannedAccess
  #version: Catalog['version'] | undefined
  /** When it was used last, in uses of all shapes. */
  lastUse = 0
  /** Whether it is one of those that are kept. */
  isKept = true

  readonly #slow: SlowStatements

  constructor(shape: string, slow: SlowStatements) {
    this.shape = shape
    this.#slow = slow
  }

  get rowsReturned(): number {
    return this.#rowsReturned
  }

  get rowsWritten(): number {
    return this.#rowsWritten
  }

  /** How many failed, by code. */
  get errors(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#errors)
  }

  /** How its rows are found; undefined where there are none to find. */
  get access(): PlannedAccess {
    return this.#access
  }

  /** A statement of it was planned, with the definitions of that time. */
  planned(plan: Plan, { version }: Pick<Catalog, 'version'>): void {
    if (this.#version === version) return
    this.#version = version
    this.#access = accessOf(plan)
  }

  succeeded(ms: number, result: StatementResult): void {
    this.ran(ms, rowCountOf(result), result.rowsAffected)
  }

  /** It has succeeded. */
  ran(ms: number, rowsReturned: number, rowsWritten: number): void {
    this.durations.add(ms)
    this.#rowsReturned += rowsReturned
    this.#rowsWritten += rowsWritten
    if (ms >= this.#slow.fromMs) this.#wasSlow({ ms, rowsReturned, rowsWritten })
  }

  failed(ms: number, code: string): void {
    this.durations.add(ms)
    this.#errors.set(code, (this.#errors.get(code) ?? 0) + 1)
    if (ms >= this.#slow.fromMs) this.#wasSlow({ ms, rowsReturned: 0, rowsWritten: 0, error: code })
  }

  #wasSlow(run: Omit<SlowStatement, 'shape' | 'plan'>): void {
    this.#slow.met({ ...run, shape: this.shape, plan: this.#access })
  }
}
