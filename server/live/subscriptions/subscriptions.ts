// SPDX-License-Identifier: Apache-2.0
import type { Statement } from '../../../parser/ast.ts'
import type { Parser } from '../../../parser/parser.ts'
import {
  distinctText,
  type IntegerForm,
  keepOwnSource,
  type Parameters,
  requireSubscribable,
  type Subscribable,
  type SubscriptionMode,
  subscriptionMode,
} from '../../../planner/planner.ts'
import { repeat, type Timestamp } from '../../../storage/storage.ts'
import { ADMIN_ROLE, type Catalog } from '../../../storage/tables/tables.ts'
import { requireWithin, ServerError } from '../../errors/server-error.ts'
import type { Principal } from '../../guard/access/principal.ts'
import { Reservation } from '../../guard/budgets/hold.ts'
import { requireWithinRole } from '../../guard/budgets/shared-bound.ts'
import type { Turns } from '../../guard/budgets/turns.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import { PreparedScript } from '../../requests/prepared/prepared-script.ts'
import {
  checkedParameters,
  noteParameters,
  parsedText,
} from '../../requests/prepared/query-request.ts'
import type { RunningRequest } from '../../requests/prepared/running-request.ts'
import { requireParametersUsed } from '../../requests/prepared/unused-parameters.ts'
import type { SubscriptionSink } from './frames/frame-batch.ts'
import { FrameCache } from './frames/frame-cache.ts'
import { SubscribedQuery } from './matching/subscribed-query.ts'
import { Permits } from './permits.ts'
import { RecentCommits } from './recent-commits.ts'
import { LiveResults } from './results/live-results.ts'
import { ResultSubscription } from './results/result-subscription.ts'
import { Subscription, type SubscriptionStart } from './subscription.ts'
import { SubscriptionHubs } from './subscription-hubs.ts'
import { furthestBehind, type ListedSubscription } from './subscription-list.ts'
import type { SubscriptionDependencies } from './subscription-parts.ts'

/** What a client subscribes to, and from where on. */
export type SubscriptionRequest = {
  readonly sql: string
  readonly params?: Parameters
  readonly integers?: 'number' | 'string'
  /** How changes are told; undefined leaves it to the statement. */
  readonly mode?: SubscriptionMode
  /** The rows come first, as of one moment. Excludes `since`. */
  readonly snapshot?: boolean
  /** What was committed after this timestamp comes. */
  readonly since?: Timestamp
  /** The history that `since` is said to be of. */
  readonly history?: string
  /** The view that `since` is of, as `subscribed` has named it. */
  readonly view?: string
  /** The digest of the list that a client of a live result has. */
  readonly digest?: string
}

/** Throws ServerError `invalid_request`. */
export function requireOneBeginning(snapshot: boolean, since: unknown): void {
  if (!snapshot || since === undefined) return
  const detail = 'A subscription begins with a snapshot or goes on from since, not both.'
  throw new ServerError('invalid_request', detail)
}

/** The door of the folder: all subscriptions of the server, on sockets and in NDJSON answers. */
export class Subscriptions {
  readonly #deps: SubscriptionDependencies
  readonly #parser: Parser
  readonly #hubs: SubscriptionHubs
  readonly #results: LiveResults
  readonly #queries = new Map<string, SubscribedQuery>()
  readonly #open = new Set<Subscription | ResultSubscription>()
  readonly #closing = new AbortController()
  readonly #progressing: Promise<void>
  #queryNumber = 0

  constructor(
    deps: Omit<SubscriptionDependencies, 'readers' | 'recent' | 'frames' | 'told'>,
    parser: Parser,
  ) {
    const readers = new Permits(SERVER_LIMITS.feedReadersMax)
    const recent = new RecentCommits(SERVER_LIMITS.feedRecentRows)
    this.#deps = { ...deps, readers, recent, frames: new FrameCache(), told: { count: 0 } }
    this.#parser = parser
    this.#hubs = new SubscriptionHubs(this.#deps)
    this.#results = new LiveResults(this.#deps)
    this.#progressing = repeat(deps.clock, {
      everyMs: SERVER_LIMITS.progressMs,
      signal: this.#closing.signal,
      work: () => Promise.all([this.#hubs.progress(), this.#results.progress()]),
      failed: (error) => deps.log.warn({ err: error }, 'the progress of the feed is not known'),
    })
  }

  get count(): number {
    return this.#deps.shares.subscriptions.held
  }

  /** What is evaluated for those that are told as lists. */
  get results(): Pick<LiveResults, 'count' | 'evaluations'> {
    return this.#results
  }

  /** How many changes were sent, of one to each of those that are told. */
  get toldCount(): number {
    return this.#deps.told.count
  }

  /**
   * Those that are furthest behind, `limit` at most, of how many, and how far they could have come. Rejects with the
   * errors of the feed and with the reason of an abort.
   */
  async list(
    limit: number,
    turns: Turns,
  ): Promise<{
    readonly resolved: Timestamp
    readonly subscriptions: readonly ListedSubscription[]
    readonly total: number
  }> {
    const resolved = await this.#deps.storage.feed.resolved()
    const positionOf = (subscription: Subscription | ResultSubscription) =>
      subscription.mode === 'rows'
        ? this.#hubs.positionOf(subscription, resolved)
        : this.#results.positionOf(subscription, resolved)
    const subscriptions = await furthestBehind(this.#open, { limit, positionOf, turns })
    return { resolved, subscriptions, total: this.#open.size }
  }

  /**
   * Serves one subscription until `running` is aborted, and rejects with its reason; or with what else
   * ended it, to be told to the client. Beyond `subscriptionsMax` that is `client_overloaded` or `overloaded`.
   */
  async serve(
    request: SubscriptionRequest,
    sink: SubscriptionSink,
    running: RunningRequest,
  ): Promise<never> {
    const { subscriptions } = this.#deps.shares
    const { client, limits } = running
    requireWithinRole('subscriptions', limits, subscriptions.heldBy(client), subscriptions.what)
    subscriptions.take(client)
    try {
      return await this.#serve(request, sink, running)
    } finally {
      subscriptions.giveBack(client)
      if (subscriptions.heldBy(client) === 0) await this.#hubs.ended(client)
    }
  }

  async #serve(
    request: SubscriptionRequest,
    sink: SubscriptionSink,
    running: RunningRequest,
  ): Promise<never> {
    if (!running.turns.mayBegin) await running.turns.begin()
    const reservation = new Reservation(this.#deps.shares.subscriptionsBytes, running.client)
    const parsed = parsedText(this.#parser, request.sql, running.turns)
    const subscribed = identityOf(
      request,
      parsed instanceof Promise ? await parsed : parsed,
      running.principal,
    )
    requireWithin('subscriptionBytesMax', subscribed.name.length, WHAT_BYTES)
    reservation.moveTo(subscribed.name.length)
    try {
      return await (subscriptionMode(subscribed.statement, request.mode) === 'result'
        ? this.#serveResult(request, subscribed, { sink, running })
        : this.#serveRows(request, subscribed, { sink, running }))
    } finally {
      reservation.close()
    }
  }

  async #serveResult(
    request: SubscriptionRequest,
    subscribed: SubscribedStatement,
    reader: { readonly sink: SubscriptionSink; readonly running: RunningRequest },
  ): Promise<never> {
    const { since, digest, history } = request
    const subscription = new ResultSubscription(this.#deps, reader)
    const bookmark = since === undefined ? undefined : { since, digest, history }
    keepOwnSource(subscribed.parameters)
    this.#open.add(subscription)
    try {
      return await this.#results.serve(subscribed, subscription, bookmark)
    } finally {
      this.#open.delete(subscription)
    }
  }

  async #serveRows(
    request: SubscriptionRequest,
    subscribed: SubscribedStatement,
    reader: { readonly sink: SubscriptionSink; readonly running: RunningRequest },
  ): Promise<never> {
    const query = this.#queryOf(subscribed, reader.running.principal)
    query.subscriptions += 1
    const subscription = new Subscription(this.#deps, this.#hubs, { query, ...reader })
    this.#open.add(subscription)
    try {
      return await subscription.run(startOf(request))
    } finally {
      this.#open.delete(subscription)
      query.subscriptions -= 1
      const isLast = query.subscriptions === 0 && this.#queries.get(query.name) === query
      if (isLast) this.#queries.delete(query.name)
    }
  }

  /** To be called when rights have changed: those that may not see their rows any more end. */
  rightsChanged(): void {
    this.#hubs.rightsChanged()
    this.#results.rightsChanged()
  }

  /** To be called when all subscriptions have been ended. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#progressing
    await this.#hubs.close()
    await this.#results.close()
  }

  /** Subscriptions of the same text, parameters, role and claims share one. */
  #queryOf(subscribed: SubscribedStatement, principal: Principal | undefined): SubscribedQuery {
    const { name } = subscribed
    const named = this.#queries.get(name)
    if (named?.isOutdated === false) return named
    keepOwnSource(subscribed.parameters)
    this.#queryNumber += 1
    const number = this.#queryNumber
    const viewOf = (catalog: Catalog) => this.#deps.access.viewOf(principal, catalog)
    const claims = subscribed.isRestricted ? principal?.claims : undefined
    const subscriber = { parseRule: this.#deps.parseRule, claims }
    const query = new SubscribedQuery({ ...subscribed, number, viewOf, subscriber })
    this.#queries.set(name, query)
    return query
  }
}

const WHAT_BYTES = 'Bytes of the text and the parameters of a subscription'

/** A statement that is subscribed to, for one role with its claims: equal names have equal answers. */
type SubscribedStatement = {
  readonly name: string
  readonly statement: Subscribable
  readonly parameters: Parameters
  readonly integers: IntegerForm
  readonly isRestricted: boolean
}

/** Throws ServerError, and PlanError for a statement that cannot be subscribed to. */
function identityOf(
  request: SubscriptionRequest,
  statements: readonly Statement[],
  principal: Principal | undefined,
): SubscribedStatement {
  const { sql, params, integers = 'number' } = request
  noteParameters(request)
  const parameters = checkedParameters(params)
  const role = principal?.role ?? null
  const isRestricted = role !== null && role !== ADMIN_ROLE
  const claims = isRestricted ? principal?.claims : undefined
  const name = `${JSON.stringify([sql, integers, role, claims])},${distinctText(parameters)}`
  const statement = statementOf(statements, parameters)
  requireSubscribable(statement)
  return { name, statement, parameters, integers, isRestricted }
}

function statementOf(statements: readonly Statement[], parameters: Parameters): Statement {
  const [statement, ...others] = statements
  if (statement === undefined || others.length > 0) {
    throw new ServerError('invalid_request', 'A subscription is of exactly one statement.')
  }
  requireParametersUsed(parameters, PreparedScript.of(statements))
  return statement
}

function startOf({ snapshot, since, history, view }: SubscriptionRequest): SubscriptionStart {
  if (since !== undefined) return { kind: 'since', position: since, history, view }
  return { kind: snapshot === true ? 'snapshot' : 'now' }
}
