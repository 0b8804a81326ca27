// SPDX-License-Identifier: Apache-2.0
import type { Statement } from '../../../../parser/ast.ts'
import {
  type IntegerForm,
  type Parameters,
  planSubscription,
  type Subscriber,
  type SubscriptionPlan,
} from '../../../../planner/planner.ts'
import type { Catalog } from '../../../../storage/tables/tables.ts'
import { ServerError } from '../../../errors/server-error.ts'
import type { RowStatement } from '../../../requests/prepared/script.ts'

type SubscribedQueryDependencies = Omit<
  SubscribedQuery,
  'subscriptions' | 'isOutdated' | 'planAt' | 'snapshotStatement'
>

/**
 * A statement with its parameters, and all subscriptions to it: what a commit changes of its rows is
 * found out once, and written once, for all of them.
 */
export class SubscribedQuery {
  /** What it is known by: equal exactly when the answers are. */
  readonly name: string
  /** The same, short; no two queries have one, at whatever time. */
  readonly number: number
  readonly statement: Statement
  readonly parameters: Parameters
  readonly integers: IntegerForm
  /** The catalog as its subscribers may know it. */
  readonly viewOf: (catalog: Catalog) => Catalog
  /** Whether that may leave anything out. */
  readonly isRestricted: boolean
  readonly subscriber: Subscriber
  /** How many subscriptions there are to it, wherever they have come. */
  subscriptions = 0
  #known: { readonly catalog: Catalog; readonly plan: SubscriptionPlan } | undefined

  /** What its subscribers have begun with. */
  #view: string | undefined
  #isOutdated = false

  /** Whether another rule counts by now: it is for nobody who begins. */
  get isOutdated(): boolean {
    return this.#isOutdated
  }

  constructor(deps: SubscribedQueryDependencies) {
    this.name = deps.name
    this.number = deps.number
    this.statement = deps.statement
    this.parameters = deps.parameters
    this.integers = deps.integers
    this.viewOf = deps.viewOf
    this.isRestricted = deps.isRestricted
    this.subscriber = deps.subscriber
  }

  /** Throws PlanError, as does each row that the statement cannot be computed of. */
  planAt(catalog: Catalog): SubscriptionPlan {
    const view = this.viewOf(catalog)
    const known = this.#known
    if (known?.catalog.version === view.version && known.catalog.rights === view.rights) {
      return known.plan
    }
    const plan = planSubscription(this.statement, view, this.parameters, this.subscriber)
    this.#view ??= plan.view
    if (plan.view !== this.#view) {
      this.#isOutdated = true
      throw rulesChanged()
    }
    this.#known = { catalog: view, plan }
    return plan
  }

  /**
   * What reads the rows of a snapshot: the same statement, answering whole rows, so that their keys can
   * be told, too.
   */
  get snapshotStatement(): RowStatement {
    const { statement } = this
    if (statement.kind !== 'get' && statement.kind !== 'scan') throw new Error('It has no plan.')
    return { ...statement, projection: { kind: 'allColumns', position: statement.position } }
  }
}

/** What is no longer seen would have to leave, and what is seen now to come: a snapshot says both. */
function rulesChanged(): ServerError {
  const detail = 'The rule of your role has changed, and with it the rows: begin with a snapshot.'
  return new ServerError('resume_too_old', detail)
}
