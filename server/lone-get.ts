// SPDX-License-Identifier: Apache-2.0
import type { Parser } from '../parser/parser.ts'
import { executeNow, type Parameters } from '../planner/planner.ts'
import type { Clock, Randomness, Storage } from '../storage/storage.ts'
import type { PlanCache } from './plan-cache.ts'
import { AnswerBudget, type QueryOutcome } from './query-answer.ts'
import { checkedParameters, type QueryRequest } from './query-request.ts'
import type { TurnQueue } from './turns.ts'
import { uuidV7 } from './uuid.ts'

export type LoneGetParts = {
  readonly parser: Parser
  readonly storage: Storage
  readonly plans: PlanCache
  readonly turnQueue: TurnQueue
  readonly clock: Clock
  readonly randomness: Randomness
}

/**
 * Runs a request that is one GET of a few rows by their keys, which is what most requests are: in the
 * turn in which it arrives, so that no transaction, deadline or promise has to be kept for it. Undefined
 * for every other request, for a text that has to be parsed first, where something has to be waited for, and
 * where anything is wrong: a GET changes nothing, so it can begin anew on the ordinary way, and only that
 * has to know of errors.
 */
export function runLoneGet(parts: LoneGetParts, request: QueryRequest): QueryOutcome | undefined {
  // Whoever waits for a turn is before it.
  if (!isPlain(request) || !parts.turnQueue.isEmpty) return undefined
  try {
    return getNow(parts, request.sql, checkedParameters(request.params))
  } catch {
    return undefined
  }
}

type PlainRequest = { readonly sql: string; readonly params?: Parameters }

/** Without any option. */
function isPlain(request: QueryRequest): request is PlainRequest {
  for (const field in request) if (field !== 'sql' && field !== 'params') return false
  return request.sql !== undefined
}

function getNow(
  { parser, storage, plans, clock, randomness }: LoneGetParts,
  sql: string,
  parameters: Parameters,
): QueryOutcome | undefined {
  const script = parser.knownScript(sql)
  const statement = script?.length === 1 ? script[0] : undefined
  if (statement?.kind !== 'get' || statement.asOf !== undefined) return undefined
  const snapshot = storage.snapshotNow()
  if (snapshot === undefined) return undefined
  const result = executeNow(plans.plan(statement, snapshot.catalog), {
    snapshot,
    parameters,
    functions: {
      now: BigInt(snapshot.readTs),
      uuid: () => uuidV7(clock.wallMicros() / 1000, randomness),
    },
    answerBytes: new AnswerBudget().bytes,
  })
  if (result === undefined) return undefined
  return { results: [result], readTimestamp: snapshot.readTs, commitTimestamp: null, attempts: 1 }
}
