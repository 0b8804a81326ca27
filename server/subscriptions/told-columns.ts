// SPDX-License-Identifier: Apache-2.0
import type { SubscriptionPlan } from '../../planner/planner.ts'
import type { Timestamp } from '../../storage/storage.ts'
import { keyColumns } from './row-change.ts'
import { SubscriptionFrame } from './subscription-frame.ts'

type Columns = SubscriptionPlan['columns']

/** The columns that a client knows of: it needs their types to read the values of rows. */
export class ToldColumns {
  #columns: Columns = []
  #tableId: number | undefined

  /** The table whose key the client knows; undefined before it was told. */
  get tableId(): number | undefined {
    return this.#tableId
  }

  /** The frame that a subscription begins with. */
  begin(timestamp: Timestamp, { table, columns }: SubscriptionPlan): SubscriptionFrame {
    this.#columns = columns
    this.#tableId = table.id
    // In key order, which is the one that a client keeps its rows in.
    const key = keyColumns(table).map((column, place) => ({
      ...typed(column),
      ...(table.primaryKey[place]?.descending ? { descending: true } : {}),
    }))
    const fields = { timestamp, columns: columns.map(typed), key }
    return SubscriptionFrame.of('subscribed', fields)
  }

  /** Whether the client has been told of this very plan's columns. */
  knows({ columns }: SubscriptionPlan): boolean {
    return columns === this.#columns
  }

  /** The frame that has to stand before rows of this plan, when it has other columns than before. */
  changed({ columns }: SubscriptionPlan): SubscriptionFrame | undefined {
    const known = this.#columns
    if (columns === known) return undefined
    this.#columns = columns
    const areSame =
      columns.length === known.length &&
      columns.every(({ name, type }, place) => {
        return known[place]?.name === name && known[place].type === type
      })
    return areSame ? undefined : SubscriptionFrame.of('columns', { columns: columns.map(typed) })
  }
}

function typed({ name, type }: Columns[number]): Columns[number] {
  return { name, type }
}
