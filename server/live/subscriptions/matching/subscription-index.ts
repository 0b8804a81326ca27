// SPDX-License-Identifier: Apache-2.0
import type { SubscriptionPlan } from '../../../../planner/planner.ts'
import type { FeedCommit } from '../../../../storage/storage.ts'
import { type Catalog, tableIdOf } from '../../../../storage/tables/tables.ts'
import type { SubscribedQuery } from './subscribed-query.ts'
import { TableSubscriptions } from './table-subscriptions.ts'

/** Queries by what of a commit they want to hear, planned for one version of the catalog. */
export class SubscriptionIndex {
  readonly catalog: Catalog
  readonly #tables = new Map<number, TableSubscriptions>()
  readonly #tableOfQuery = new Map<SubscribedQuery, TableSubscriptions>()

  constructor(catalog: Catalog) {
    this.catalog = catalog
  }

  has(query: SubscribedQuery): boolean {
    return this.#tableOfQuery.has(query)
  }

  /** Undefined when it has not been added. */
  planOf(query: SubscribedQuery): SubscriptionPlan | undefined {
    return this.has(query) ? query.planAt(this.catalog) : undefined
  }

  /** Throws PlanError when the query does not fit the catalog. */
  add(query: SubscribedQuery): void {
    if (this.#tableOfQuery.has(query)) return
    const plan = query.planAt(this.catalog)
    const { table } = plan
    const ofTable = this.#tables.get(table.id) ?? new TableSubscriptions(table)
    this.#tables.set(table.id, ofTable)
    this.#tableOfQuery.set(query, ofTable)
    ofTable.add(query, plan)
  }

  delete(query: SubscribedQuery): void {
    const ofTable = this.#tableOfQuery.get(query)
    if (ofTable === undefined) return
    this.#tableOfQuery.delete(query)
    ofTable.delete(query)
    if (ofTable.isEmpty) this.#tables.delete(ofTable.table.id)
  }

  /** The subscriptions of the row's table, when one of them may care for a row of this key. */
  concernedBy(key: Uint8Array): TableSubscriptions | undefined {
    const tableId = tableIdOf(key)
    const ofTable = tableId === undefined ? undefined : this.#tables.get(tableId)
    return ofTable?.mayConcern(key) === true ? ofTable : undefined
  }

  /** Whether the commit needs a look: it changed definitions, or a row that some query may care for. */
  isConcernedBy({ rows }: FeedCommit): boolean {
    return changesCatalog(rows) || rows.some(({ key }) => this.concernedBy(key) !== undefined)
  }
}

/** The feed tells rows of tables and of the catalog, so what is of no table is of the catalog. */
function changesCatalog(rows: FeedCommit['rows']): boolean {
  return rows.some(({ key }) => tableIdOf(key) === undefined)
}
