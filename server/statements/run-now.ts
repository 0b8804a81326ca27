// SPDX-License-Identifier: Apache-2.0
import type { GetStatement, SetStatement, Statement } from '../../parser/ast.ts'
import type { Parser } from '../../parser/parser.ts'
import {
  executeNow,
  executePlan,
  type StatementFunctions,
  type StatementResult,
  WorkMeter,
} from '../../planner/planner.ts'
import type {
  Answer,
  Catalog,
  Clock,
  Randomness,
  SnapshotNow,
  Storage,
  Timestamp,
  Transaction,
} from '../../storage/storage.ts'
import { SHORT_ANSWER_BYTES } from '../answers/answer-text.ts'
import { AnswerBudget, type QueryOutcome } from '../answers/query-answer.ts'
import type { ClientKey } from '../budgets/client-key.ts'
import type { Shares } from '../budgets/shares.ts'
import { ALL_LIMITS } from '../limits.ts'
import { checkedParameters, noteSources, type QueryRequest } from '../requests/query-request.ts'
import type { ScriptStatement } from '../requests/script.ts'
import { usesAllParameters } from '../requests/unused-parameters.ts'
import type { EndedTransactions } from '../transactions/ended-transactions.ts'
import { explained } from './explained-error.ts'
import type { PlanCache } from './plan-cache.ts'
import { uuidV7 } from './uuid.ts'

export type NowParts = {
  readonly parser: Parser
  readonly storage: Storage
  readonly plans: PlanCache
  readonly ended: EndedTransactions
  readonly clock: Clock
  readonly randomness: Randomness
  readonly shares: Shares
}

/** More would not be done within a turn, and what was read in it would be read again. */
const STATEMENTS_MAX = 256

/**
 * Runs a request that is GETs of a few rows by their keys, or one SET that reads nothing, which is what most
 * requests are: in this turn of the event loop, so that no deadline has to be kept for it, and nobody has to learn
 * that its client has gone. GETs are answered in that turn too; a SET when its commit is durable.
 *
 * Undefined for every other request, for a text that has to be parsed first, where something has to be waited
 * for before the commit, and where anything is wrong: then nothing was written, so the request can begin anew on
 * the ordinary way, and only that has to know of errors. Rejects where it is not known what was written.
 */
export function runNow(
  parts: NowParts,
  request: QueryRequest,
  client: ClientKey,
): Answer<QueryOutcome | undefined> {
  try {
    const script = simpleScript(parts.parser, request)
    if (script === undefined) return undefined
    const snapshot = parts.storage.snapshotNow()
    if (snapshot === undefined) return undefined
    const [first] = script
    return isSet(first) ? setSoon(parts, first, snapshot, client) : getsNow(parts, script, snapshot)
  } catch {
    return undefined
  }
}

type SimpleStatement = ScriptStatement<GetStatement | SetStatement>

/**
 * The statements of a request that has no option, and nothing but GETs or one SET, of no text that is new. It is
 * asked of every request, so it ends at the first statement that is something else.
 */
function simpleScript(parser: Parser, request: QueryRequest): SimpleStatement[] | undefined {
  for (const field in request) {
    if (field !== 'sql' && field !== 'params' && field !== 'statements') return undefined
  }
  const entries = request.statements ?? [request]
  if (entries.length === 0 || entries.length > STATEMENTS_MAX) return undefined
  noteSources(request)
  const script: SimpleStatement[] = []
  for (const { sql, params } of entries) {
    const known = parser.knownScript(sql)
    const statement = known?.length === 1 ? known[0] : undefined
    if (statement === undefined || !isSimple(statement, entries.length)) return undefined
    const parameters = checkedParameters(params)
    if (!usesAllParameters(parameters, statement)) return undefined
    script.push({ statement, parameters })
  }
  return script
}

/** Whether it may run now, as one of so many. */
function isSimple(statement: Statement, count: number): statement is GetStatement | SetStatement {
  return statement.kind === 'get'
    ? statement.asOf === undefined
    : statement.kind === 'set' && count === 1
}

function isSet(entry: SimpleStatement | undefined): entry is ScriptStatement<SetStatement> {
  return entry?.statement.kind === 'set'
}

function getsNow(
  parts: NowParts,
  script: readonly SimpleStatement[],
  { readTs, now, catalog, reads }: SnapshotNow,
): QueryOutcome | undefined {
  const { clock, plans } = parts
  const functions = functionsAt(now, parts)
  const answer = new AnswerBudget()
  const results: StatementResult[] = []
  let bytes = 0
  const endMs = clock.monotonicMs() + ALL_LIMITS.turnMsMax
  const work = new WorkMeter(tooMuchForNow)
  for (const { statement, parameters } of script) {
    const context = { reads, parameters, functions, work, answerBytes: answer.bytes }
    const result = executeNow(plans.plan(statement, catalog), context)
    if (result === undefined) return undefined
    // To write more would take more than a turn.
    bytes += result.bytes ?? 0
    if (bytes > SHORT_ANSWER_BYTES) return undefined
    if (results.push(result) === script.length) break
    answer.add(result)
    if (clock.monotonicMs() >= endMs) return undefined
  }
  parts.ended.committed(null)
  return { results, readTimestamp: readTs, commitTimestamp: null, attempts: 1 }
}

function setSoon(
  parts: NowParts,
  { statement, parameters }: ScriptStatement<SetStatement>,
  snapshot: SnapshotNow,
  client: ClientKey,
): Promise<QueryOutcome | undefined> | undefined {
  const { catalog } = snapshot
  const plan = parts.plans.plan(statement, catalog)
  if (plan.kind !== 'set' || !plan.isBlind) return undefined
  const { requests } = parts.shares
  requests.take(client)
  const transaction = parts.storage.beginAt(snapshot, { budget: parts.shares.writtenBy(client) })
  try {
    const result = executePlan(plan, {
      transaction,
      catalog,
      parameters,
      functions: functionsAt(snapshot.now, parts),
      work: new WorkMeter(tooMuchForNow),
      answerBytes: new AnswerBudget().bytes,
    })
    if (result instanceof Promise) throw new TypeError('A SET that reads nothing has waited.')
    return committed(parts.ended, transaction, catalog, result).finally(() =>
      requests.giveBack(client),
    )
  } catch (error) {
    requests.giveBack(client)
    transaction.rollback()
    throw error
  }
}

/** Ends what nobody keeps a deadline for: it begins anew on the ordinary way. */
function tooMuchForNow(): never {
  throw new Error('It is more work than a request does in the turn in which it arrives.')
}

async function committed(
  ended: EndedTransactions,
  transaction: Transaction,
  catalog: Catalog,
  result: StatementResult,
): Promise<QueryOutcome | undefined> {
  try {
    const { commitTs } = await transaction.commit()
    ended.committed(commitTs)
    const readTimestamp = transaction.startTs
    return { results: [result], readTimestamp, commitTimestamp: commitTs, attempts: 1 }
  } catch (error) {
    if (transaction.state === 'rolledBack') return undefined
    ended.failed(error)
    throw explained(error, catalog)
  }
}

function functionsAt(now: Timestamp, { clock, randomness }: NowParts): StatementFunctions {
  return { now: BigInt(now), uuid: () => uuidV7(clock.wallMicros() / 1000, randomness) }
}
