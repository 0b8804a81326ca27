// SPDX-License-Identifier: Apache-2.0
import type { GetStatement, SetStatement } from '../parser/ast.ts'
import type { Parser } from '../parser/parser.ts'
import {
  executeNow,
  executePlan,
  type Parameters,
  type StatementFunctions,
  type StatementResult,
} from '../planner/planner.ts'
import type {
  Answer,
  Catalog,
  Clock,
  Randomness,
  SnapshotNow,
  Storage,
  Timestamp,
  Transaction,
} from '../storage/storage.ts'
import { explained } from './explained-error.ts'
import type { PlanCache } from './plan-cache.ts'
import { AnswerBudget, type QueryOutcome } from './query-answer.ts'
import { checkedParameters, type QueryRequest } from './query-request.ts'
import type { TurnQueue } from './turns.ts'
import { uuidV7 } from './uuid.ts'

export type LoneParts = {
  readonly parser: Parser
  readonly storage: Storage
  readonly plans: PlanCache
  readonly turnQueue: TurnQueue
  readonly clock: Clock
  readonly randomness: Randomness
}

/**
 * Runs a request that is one GET of a few rows by their keys, or one SET that reads nothing, which is what most
 * requests are: in the turn in which it arrives, so that no deadline has to be kept for it, and nobody has to learn
 * that its client has gone. A GET is answered in that turn too; a SET when its commit is durable.
 *
 * Undefined for every other request, for a text that has to be parsed first, where something has to be waited
 * for before the commit, and where anything is wrong: then nothing was written, so the request can begin anew on
 * the ordinary way, and only that has to know of errors. Rejects where it is not known what was written.
 */
export function runLone(parts: LoneParts, request: QueryRequest): Answer<QueryOutcome | undefined> {
  // Whoever waits for a turn is before it.
  if (!isPlain(request) || !parts.turnQueue.isEmpty) return undefined
  const script = parts.parser.knownScript(request.sql)
  const statement = script?.length === 1 ? script[0] : undefined
  if (statement?.kind !== 'get' && statement?.kind !== 'set') return undefined
  try {
    const parameters = checkedParameters(request.params)
    const snapshot = parts.storage.snapshotNow()
    if (snapshot === undefined) return undefined
    return statement.kind === 'get'
      ? getNow(parts, statement, { parameters, snapshot })
      : setSoon(parts, statement, { parameters, snapshot })
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

type Surroundings = { readonly parameters: Parameters; readonly snapshot: SnapshotNow }

function getNow(
  parts: LoneParts,
  statement: GetStatement,
  { parameters, snapshot }: Surroundings,
): QueryOutcome | undefined {
  if (statement.asOf !== undefined) return undefined
  const result = executeNow(parts.plans.plan(statement, snapshot.catalog), {
    snapshot,
    parameters,
    functions: functionsAt(snapshot.readTs, parts),
    answerBytes: new AnswerBudget().bytes,
  })
  if (result === undefined) return undefined
  return { results: [result], readTimestamp: snapshot.readTs, commitTimestamp: null, attempts: 1 }
}

function setSoon(
  parts: LoneParts,
  statement: SetStatement,
  { parameters, snapshot }: Surroundings,
): Promise<QueryOutcome | undefined> | undefined {
  const { catalog } = snapshot
  const plan = parts.plans.plan(statement, catalog)
  if (plan.kind !== 'set' || !plan.isBlind) return undefined
  const transaction = parts.storage.beginAt(snapshot)
  try {
    const result = executePlan(plan, {
      transaction,
      catalog,
      parameters,
      functions: functionsAt(snapshot.readTs, parts),
      answerBytes: new AnswerBudget().bytes,
    })
    if (result instanceof Promise) throw new TypeError('A SET that reads nothing has waited.')
    return committed(transaction, catalog, result)
  } catch (error) {
    transaction.rollback()
    throw error
  }
}

async function committed(
  transaction: Transaction,
  catalog: Catalog,
  result: StatementResult,
): Promise<QueryOutcome | undefined> {
  try {
    const { commitTs } = await transaction.commit()
    const readTimestamp = transaction.startTs
    return { results: [result], readTimestamp, commitTimestamp: commitTs, attempts: 1 }
  } catch (error) {
    if (transaction.state === 'rolledBack') return undefined
    throw explained(error, catalog)
  }
}

function functionsAt(now: Timestamp, { clock, randomness }: LoneParts): StatementFunctions {
  return { now: BigInt(now), uuid: () => uuidV7(clock.wallMicros() / 1000, randomness) }
}
