// SPDX-License-Identifier: Apache-2.0
import type { SubscriptionPlan } from '../../../../planner/planner.ts'
import type { Timestamp } from '../../../../storage/storage.ts'
import { keyColumns } from '../../../../storage/tables/tables.ts'
import type { OpaqueIds } from '../../../guard/access/opaque-ids.ts'
import { SubscriptionFrame } from './subscription-frame.ts'

type Columns = SubscriptionPlan['columns']

/** The columns that a client knows of: it needs their types to read the values of rows. */
export class KnownColumns {
  readonly #ids: OpaqueIds
  #columns: Columns = []
  #shape = ''
  #tableId: number | undefined

  constructor(ids: OpaqueIds) {
    this.#ids = ids
  }

  /** The table whose key the client knows; undefined before `begin`. */
  get tableId(): number | undefined {
    return this.#tableId
  }

  /** The frame that a subscription begins with. */
  begin(timestamp: Timestamp, plan: SubscriptionPlan, history: string): SubscriptionFrame {
    const { table, columns } = plan
    this.#columns = columns
    this.#shape = this.#shapeOf(table, columns)
    this.#tableId = table.id
    // In key order, which is the one that a client keeps its rows in.
    const key = keyColumns(table).map((column, position) => ({
      ...typed(column),
      ...(table.primaryKey[position]?.descending ? { descending: true } : {}),
    }))
    const said = { timestamp, history, view: this.viewOf(plan) }
    return SubscriptionFrame.of('subscribed', {
      ...said,
      mode: 'rows',
      columns: columns.map(typed),
      shape: this.#shape,
      key,
    })
  }

  /**
   * Equal as long as the rule is, and what the token says to it: only then a position holds for whoever names it.
   * Undefined without a rule.
   */
  viewOf({ view }: SubscriptionPlan): string | undefined {
    return view === '' ? undefined : this.#ids.of('view', view)
  }

  /** Whether the client knows the columns of this very plan. */
  knows({ columns }: SubscriptionPlan): boolean {
    return columns === this.#columns
  }

  /** The frame that has to stand before rows of this plan, when it has other columns than before. */
  changed({ table, columns }: SubscriptionPlan): SubscriptionFrame | undefined {
    if (columns === this.#columns) return undefined
    this.#columns = columns
    const shape = this.#shapeOf(table, columns)
    if (shape === this.#shape) return undefined
    this.#shape = shape
    return SubscriptionFrame.of('columns', { columns: columns.map(typed), shape })
  }

  /**
   * Equal as long as the columns are the same ones: one that was dropped and added again has another id, and
   * none of the values from before.
   */
  #shapeOf(table: SubscriptionPlan['table'], columns: Columns): string {
    const parts = columns.map(({ name, type }) => {
      const id = table.columns.find((column) => column.name === name)?.id ?? ''
      return `${id}:${name}:${type}`
    })
    return this.#ids.of('shape', table.id, ...parts)
  }
}

function typed({ name, type }: Columns[number]): Columns[number] {
  return { name, type }
}
