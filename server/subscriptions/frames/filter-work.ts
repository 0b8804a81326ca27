// SPDX-License-Identifier: Apache-2.0
import { PlanError, WorkMeter } from '../../../planner/planner.ts'
import { SERVER_LIMITS } from '../../limits.ts'

/**
 * What one statement spends on the rows of one commit. All who are subscribed wait for each other's statements,
 * so none may spend more than `filterWorkMax`, or `filterRowWorkMax` for each row of a commit of very many.
 */
export class FilterWork {
  readonly meter = new WorkMeter()
  readonly #max: number

  constructor(rowsOfCommit: number) {
    const { filterWorkMax, filterRowWorkMax } = SERVER_LIMITS
    this.#max = Math.max(filterWorkMax, filterRowWorkMax * rowsOfCommit)
  }

  /** Throws PlanError limit_exceeded. To be called after each row. */
  requireWithin(): void {
    const { spent } = this.meter
    if (spent <= this.#max) return
    const message = `The subscription takes more than ${this.#max} units of work for one commit.`
    throw new PlanError('limit_exceeded', message, {
      hint: 'Subscribe to fewer rows, or with fewer conditions on shorter values.',
      fields: { limit: 'filterWorkMax', limitValue: this.#max, actual: spent },
    })
  }
}
