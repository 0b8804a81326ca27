// SPDX-License-Identifier: Apache-2.0
import { type Plan, planStatement } from '../../planner/planner.ts'
import type { Catalog, Timestamp } from '../../storage/storage.ts'
import type { RowStatement } from '../requests/script.ts'

/**
 * Plans by statement and catalog version. The parser answers the same statement for the same text
 * as long as it remembers it, so a plan is kept with its statement and forgotten together with it:
 * the bound of the parser's cache is the bound of this one.
 */
export class PlanCache {
  readonly #plans = new WeakMap<
    RowStatement,
    { readonly version: Timestamp; readonly plan: Plan }
  >()

  plan(statement: RowStatement, catalog: Catalog): Plan {
    const known = this.#plans.get(statement)
    if (known !== undefined && known.version === catalog.version) return known.plan
    const plan = planStatement(statement, catalog)
    const { version } = catalog
    if (version !== null) this.#plans.set(statement, { version, plan })
    return plan
  }
}
