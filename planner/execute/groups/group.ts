// SPDX-License-Identifier: Apache-2.0
import type { SqlValue } from '../../../storage/values/values.ts'
import type { Scope } from '../../expressions/compiled-expression.ts'
import { NODE_UNITS } from '../../expressions/work-meter.ts'
import type { Accumulator } from '../../plan/aggregate.ts'
import type { AggregationPlan } from '../../plan/aggregation-plan.ts'
import type { HeldBytes, HeldPart } from '../../sorting/held-bytes.ts'

/** What each aggregate of a group takes, about. */
const ACCUMULATOR_BYTES = 64

/** The rows with one combination of values, as far as they have been met. */
export class Group {
  readonly #aggregation: AggregationPlan
  readonly #values: readonly SqlValue[]
  readonly #accumulators: readonly Accumulator[]
  readonly #held: HeldPart
  #hasValue = false

  /** `values` are those of the aggregation's parts, which the group may keep. */
  constructor(aggregation: AggregationPlan, values: readonly SqlValue[], held: HeldBytes) {
    this.#aggregation = aggregation
    this.#values = values
    this.#held = held.part()
    this.#held.change(ACCUMULATOR_BYTES * aggregation.aggregates.length)
    this.#accumulators = aggregation.aggregates.map(({ start }) => start(this.#held))
  }

  /** Whether an operand has had a value other than NULL. */
  get hasValue(): boolean {
    return this.#hasValue
  }

  /** Takes in a row of the group. */
  add(scope: Scope): void {
    this.#aggregation.aggregates.forEach(({ operand, filter }, slot) => {
      scope.work.spend(NODE_UNITS)
      if (filter !== undefined && filter.evaluate(scope) !== true) return
      const value = operand === undefined ? true : operand.evaluate(scope)
      if (value === null) return
      this.#hasValue = true
      this.#accumulators[slot]?.add(value, scope.work)
    })
  }

  /** What expressions over the group look at. Throws PlanError `out_of_range` where an aggregate has no value. */
  scope(scope: Scope): Scope {
    const row: SqlValue[] = []
    this.#aggregation.parts.forEach(({ column }, part) => {
      if (column !== undefined) row[column] = this.#values[part] as SqlValue
    })
    const results = this.#accumulators.map((accumulator) => accumulator.result())
    return { ...scope, row, aggregates: [...this.#values, ...results] }
  }

  /** To be called for a group that is needed no more. */
  release(): void {
    this.#held.release()
  }
}

/** Whether a group is answered; `scope` is that of the group. */
export function havingKeeps({ having }: AggregationPlan, scope: Scope): boolean {
  if (having === undefined) return true
  scope.work.spend(NODE_UNITS)
  return having.condition.evaluate(scope) === true
}
