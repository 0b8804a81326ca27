// SPDX-License-Identifier: Apache-2.0
import type { SqlRow, SqlType, SqlValue } from '../../storage/storage.ts'
import type { Scope } from '../expressions/compiled-expression.ts'
import { lengthOf, paidIdentityOf } from '../expressions/value-work.ts'
import { NODE_UNITS, type WorkMeter } from '../expressions/work-meter.ts'
import type { Accumulator } from '../plan/aggregate.ts'
import type { AggregatePlan } from '../plan/plan.ts'
import {
  type ExecutionContext,
  type StatementResult,
  scopeOf,
  TurnTaking,
} from './rows/execution-context.ts'
import { rowLimit } from './rows/row-limit.ts'
import { ScanPage } from './rows/scan-page.ts'
import { walk } from './rows/walk.ts'

/**
 * One row for each group. Rows of a group follow each other on the walk, so only the group that is
 * being read is held, whatever its size. A page ends between two groups.
 */
export async function executeAggregate(
  plan: AggregatePlan,
  context: ExecutionContext,
): Promise<StatementResult> {
  const { aggregation } = plan
  const scope = scopeOf(plan.slots, context)
  const page = new ScanPage(plan.projection, context, rowLimit(plan.limit, scope))
  if (page.left === 0) return page.result()
  const turns = new TurnTaking(context)
  const window = {
    ...page.window,
    ...(aggregation.decidedBy === 'firstRow' ? { rowsWanted: 1 } : {}),
    ...(aggregation.decidedBy === undefined ? {} : { entriesAtOnce: 1 }),
  }
  let last: Uint8Array | undefined
  let group: Group | undefined
  walking: for await (const steps of walk({ plan, scope, context, window })) {
    for (const { mark: key, row } of steps) {
      page.examine()
      if (row !== null && group?.takes(row, scope.work) !== true) {
        if (group !== undefined) page.add(group.scope(scope))
        if (page.rowCount === page.left) return page.result()
        if (last !== undefined && page.rowCount > 0 && page.isFull()) {
          return page.resultUpTo(last)
        }
        group = new Group(plan, row)
      }
      if (row !== null) group?.add({ ...scope, row })
      if (aggregation.decidedBy !== undefined && group?.hasValue === true) break walking
      last = key
      if (turns.isDue()) await turns.pause()
    }
  }
  // Without GROUP BY there is one group, even of no rows.
  if (group === undefined && aggregation.groupBy.length === 0) group = new Group(plan, [])
  if (group !== undefined) page.add(group.scope(scope))
  return page.result()
}

/** The rows with one combination of values, as far as they have been met. */
class Group {
  /** Any of its rows: all have the same values in the columns that may be looked at. */
  readonly #row: SqlRow
  readonly #plan: AggregatePlan
  readonly #accumulators: readonly Accumulator[]
  #hasValue = false

  constructor(plan: AggregatePlan, row: SqlRow) {
    this.#plan = plan
    this.#row = row
    this.#accumulators = plan.aggregation.aggregates.map(({ start }) => start())
  }

  /** Whether an operand has had a value other than NULL. */
  get hasValue(): boolean {
    return this.#hasValue
  }

  /** Here, as in the order of keys, NULL is equal to NULL. */
  takes(row: SqlRow, work: WorkMeter): boolean {
    const { columns } = this.#plan.table
    return this.#plan.aggregation.groupBy.every((column) => {
      const type = columns[column]?.type as SqlType
      const [own, other] = [this.#row[column] as SqlValue, row[column] as SqlValue]
      work.spend(NODE_UNITS + lengthOf(own))
      return own === other || paidIdentityOf(type, own, work) === paidIdentityOf(type, other, work)
    })
  }

  add(scope: Scope): void {
    this.#plan.aggregation.aggregates.forEach(({ operand }, slot) => {
      scope.work.spend(NODE_UNITS)
      const value = operand === undefined ? true : operand.evaluate(scope)
      if (value === null) return
      this.#hasValue = true
      this.#accumulators[slot]?.add(value, scope.work)
    })
  }

  /** What the projection looks at. */
  scope(scope: Scope): Scope {
    const aggregates = this.#accumulators.map((accumulator) => accumulator.result())
    return { ...scope, row: this.#row, aggregates }
  }
}
