// SPDX-License-Identifier: Apache-2.0
import {
  type ParseRule,
  type Plan,
  planStatement,
  type Variables,
} from '../../../planner/planner.ts'
import type { Timestamp } from '../../../storage/storage.ts'
import type { Catalog, Rights } from '../../../storage/tables/tables.ts'
import type { RowStatement } from '../prepared/script.ts'

type Known = {
  readonly version: Timestamp
  readonly rights: Rights
  /** The types of what earlier statements of the request read. */
  readonly variables: string
  readonly plan: Plan
}

/** As many plans of one statement are kept: one for each of the roles that ask it most. */
const PLANS_MAX = 8

/**
 * Plans by statement, catalog version and rights. The parser answers the same statement for the same text
 * as long as it remembers it, so a plan is kept with its statement and forgotten together with it:
 * the bound of the parser's cache is the bound of this one.
 */
export class PlanCache {
  readonly #parseRule: ParseRule
  readonly #plans = new WeakMap<RowStatement, readonly Known[]>()

  constructor(parseRule: ParseRule) {
    this.#parseRule = parseRule
  }

  plan(statement: RowStatement, catalog: Catalog, read?: Variables): Plan {
    const { version, rights } = catalog
    const variables = read?.signature ?? ''
    const known = this.#plans.get(statement)
    if (known !== undefined) {
      for (const each of known) {
        const isOfRole = each.version === version && each.rights === rights
        if (isOfRole && each.variables === variables) return each.plan
      }
    }
    const plan = planStatement(statement, catalog, this.#parseRule, read)
    if (version !== null) {
      const others = known?.filter((each) => each.version === version) ?? []
      this.#plans.set(statement, [
        { version, rights, variables, plan },
        ...others.slice(0, PLANS_MAX - 1),
      ])
    }
    return plan
  }
}
