// SPDX-License-Identifier: Apache-2.0
import type { Position } from '../../parser/ast.ts'
import { limitExceeded, type PlanError } from '../plan-error.ts'
import { PLANNER_LIMITS } from '../planner-limits.ts'

/** What it costs to evaluate one node of an expression; each byte or character that it looks at costs one more. */
export const NODE_UNITS = 16

const { rowWorkMax, workLookUnits, workTurnUnits } = PLANNER_LIMITS

/**
 * Counts the work of one statement, in units: evaluation is synchronous, so no timer can end it and no clock is
 * read for most rows. Every `workLookUnits` it calls `look`, which throws where the statement has to end, and one
 * row may cost `rowWorkMax`. An evaluation pays before the work is done, or for slices of it.
 */
export class WorkMeter {
  readonly #look: () => void
  #spent = 0
  #rowBegan = 0
  #turnBegan = 0
  #lookAt: number
  #position: Position | undefined

  /** `look` throws where the statement is past its deadline, or cancelled; first after `firstLookUnits`. */
  constructor(look: () => void = () => {}, firstLookUnits: number = workLookUnits) {
    this.#look = look
    this.#lookAt = firstLookUnits
  }

  /** Units since the beginning. */
  get spent(): number {
    return this.#spent
  }

  /** To be called before a row is evaluated; `position` is that of its statement, for errors. */
  beginRow(position?: Position): void {
    this.#rowBegan = this.#spent
    this.#position = position
  }

  /** Throws PlanError limit_exceeded for a row that costs too much, and what `look` throws. */
  spend(units: number): void {
    this.#spent += units
    if (this.#spent >= this.#lookAt) this.#lookUp(units)
  }

  /** True when so much has been spent since the last pause that others should have their turn. */
  get isTurnDue(): boolean {
    return this.#spent - this.#turnBegan >= workTurnUnits
  }

  /** To be called after a pause. */
  turnTaken(): void {
    this.#turnBegan = this.#spent
  }

  #lookUp(units: number): void {
    const actual = this.#spent - this.#rowBegan
    if (actual > rowWorkMax) throw tooMuchWork(actual, this.#position)
    // Work that was paid for with one large sum is looked at before and after.
    const next = units < workLookUnits ? workLookUnits : 0
    this.#lookAt = this.#spent + Math.min(next, rowWorkMax - actual + 1)
    this.#look()
  }
}

function tooMuchWork(actual: number, position: Position | undefined): PlanError {
  const message = `One row takes more than ${rowWorkMax} units of work.`
  return limitExceeded('rowWorkMax', actual, message, {
    position,
    hint: 'Take fewer conditions on shorter values: a byte looked at is one unit, and each operator 16.',
  })
}
