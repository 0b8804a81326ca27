// SPDX-License-Identifier: Apache-2.0
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Parser } from '../../parser/parser.ts'
import type { ParseRule } from '../../planner/planner.ts'
import type { Clock, Randomness, Storage } from '../../storage/storage.ts'
import type { Access } from '../access/access.ts'
import type { OpaqueIds } from '../access/opaque-ids.ts'
import { AnswerWriter } from '../answers/answer-text.ts'
import type { Audit } from '../audit/audit.ts'
import { Backups } from '../backups/backups.ts'
import type { Shares } from '../budgets/shares.ts'
import type { Config } from '../config.ts'
import type { FaultLog } from '../errors/fault-log.ts'
import { HISTORY_HEADER, requireHistory } from '../history/request-history.ts'
import type { CommitMetrics } from '../metrics/commit-metrics.ts'
import { Metrics } from '../metrics/metrics.ts'
import { Moves } from '../move/moves.ts'
import { packageVersion } from '../package-files.ts'
import type { Cursors } from '../requests/cursor.ts'
import type { RunningRequest } from '../requests/running-request.ts'
import type { RunningRequests } from '../requests/running-requests.ts'
import { RowTransactions } from '../rows/row-transactions.ts'
import { ScriptRunner } from '../scripts/script-runner.ts'
import { describedStatement } from '../statements/described-statement.ts'
import type { PlanCache } from '../statements/plan-cache.ts'
import { ScanStreams } from '../statements/scan-streams.ts'
import type { StatementExecution } from '../statements/statement-execution.ts'
import { StatementRunner } from '../statements/statement-runner.ts'
import type { StatementStatistics } from '../statistics/statement-statistics.ts'
import { StraightQueries } from '../straight/straight-queries.ts'
import { StraightReads } from '../straight/straight-reads.ts'
import { StraightWay } from '../straight/straight-way.ts'
import { StraightWrites } from '../straight/straight-writes.ts'
import { Attempts } from '../transactions/attempt.ts'
import type { EndedTransactions } from '../transactions/ended-transactions.ts'
import type { TransactionSessions } from '../transactions/transaction-sessions.ts'
import { UnreadBegins } from '../transactions/unread-begins.ts'
import { LiveConnections } from '../websocket/live-connections.ts'
import { admission } from './admission.ts'
import { Outbox } from './answers/outbox.ts'
import { QueryAnswers } from './answers/query-answers.ts'
import { StreamAnswers } from './answers/stream-answers.ts'
import { addBodyParsers } from './bodies/body.ts'
import { LargeBodies } from './bodies/large-bodies.ts'
import { addConsolePages } from './console-pages.ts'
import { addDocumentationPages } from './documentation-pages.ts'
import { addErrorHandling, type ProblemSender, type ProblemTold } from './http-errors.ts'
import { type SentAnswer, undeclaredIn } from './openapi/answer-check.ts'
import { bindOperations, bodyCheck } from './openapi/binding.ts'
import type { Contract } from './openapi/contract.ts'
import type { Operation } from './openapi/document.ts'
import { isLoopbackName, type OriginRules } from './origin-and-host.ts'
import type { Probes } from './probes.ts'
import { addRequestHooks, headersOfAll } from './request-hooks.ts'
import { backupRoutes } from './routes/backup-routes.ts'
import { cellRoutes } from './routes/cell-routes.ts'
import { changeRoutes } from './routes/change-routes.ts'
import { completionRoutes } from './routes/completion-routes.ts'
import { metricsRoutes } from './routes/metrics-routes.ts'
import { moveRoutes } from './routes/move-routes.ts'
import { observerRoutes } from './routes/observer-routes.ts'
import { operationRoutes } from './routes/operation-routes.ts'
import { queryRoutes } from './routes/query-routes.ts'
import { rowRoutes } from './routes/row-routes.ts'
import { runningRoutes } from './routes/running-routes.ts'
import { scriptRoutes } from './routes/script-routes.ts'
import { serverRoutes } from './routes/server-routes.ts'
import { tableRoutes } from './routes/table-routes.ts'
import { transactionRoutes } from './routes/transaction-routes.ts'

/** What everything that runs statements uses together. */
export type Shared = {
  readonly parser: Parser
  readonly cursors: Cursors
  readonly plans: PlanCache
  readonly parseRule: ParseRule
  readonly shares: Shares
  readonly ended: EndedTransactions
  readonly access: Access
  readonly audit: Audit
  readonly opaqueIds: OpaqueIds
  /** Undefined where statements are not counted. */
  readonly statistics: StatementStatistics | undefined
  readonly execution: StatementExecution
}

/** What the server stands on. */
export type Ground = {
  readonly config: Config
  readonly storage: Storage
  readonly log: Logger
  readonly faults: FaultLog
  readonly clock: Clock
  readonly randomness: Randomness
  readonly contract: Contract
  readonly commits: CommitMetrics
}

type InterfaceParts = Ground &
  Shared & {
    readonly sessions: TransactionSessions
    readonly requests: RunningRequests
    readonly sendProblem: ProblemSender
    readonly told: ProblemTold
    readonly isStopping: () => boolean
    readonly probes: Probes
    readonly onUndeclaredAnswer: ((description: string) => void) | undefined
  }

/** Adds everything that can be asked over HTTP. A hook sees the requests of the routes that come after it. */
export function addInterface(
  http: FastifyInstance,
  parts: InterfaceParts,
): Pick<Doers, 'live' | 'metrics' | 'moves' | 'backups'> {
  const { config, storage, log, requests, isStopping } = parts
  const { document, validator } = parts.contract
  const version = packageVersion()
  const doers = doersOf(parts, version)
  const { live, metrics, moves, backups } = doers
  const history = storage.history
  metrics.requests.watch(http)
  const largeBodies = new LargeBodies(requests)
  const rules = originRulesOf(config)
  const headers = headersOfAll(history.name, config.tls !== undefined)
  const admit = admission(document.operations, parts)
  const checkAnswer = answerCheck(http, parts)
  // What is told of each request is told by the general way.
  if (!log.isLevelEnabled('debug')) {
    parts.probes.open({ headers, isStopping, metrics: metrics.requests, checkAnswer })
    http.addHook('preClose', async () => parts.probes.close())
  }
  const outbox = new Outbox(headers)
  const reads = new StraightReads(parts)
  const checkBody = bodyCheck(document, validator)
  const writes = new StraightWrites({ ...parts, ...doers })
  const queries = new StraightQueries({ ...parts, ...doers, reads, writes, checkBody })
  const straight = new StraightWay({
    ...{ ...parts, reads, queries, outbox, checkAnswer, history },
    metrics: metrics.requests,
  })
  http.addHook('onRequest', straight.onRequest)
  const { admitted } = straight
  addRequestHooks(http, { rules, admit, admitted, log, isStopping, requests, largeBodies, headers })
  addBodyParsers(http, largeBodies)
  const isServed = ({ path }: Operation) => config.hasDocs || !path.startsWith('/openapi.')
  addErrorHandling(http, document.operations.filter(isServed), parts.sendProblem)
  if (config.hasDocs) addDocumentationPages(http, document)
  if (config.hasConsole) addConsolePages(http)
  bindOperations(http, document, validator, handlersOf(parts, doers, version), {
    isServed,
    adders: { openSocket: (route) => live.sockets.addRoute(http, route) },
    checkParameters: (parameters) =>
      requireHistory(history, parameters[HISTORY_HEADER], parameters),
  })
  return { live, metrics, moves, backups }
}

type Doers = ReturnType<typeof doersOf>

/** What carries requests out and answers them. */
function doersOf(parts: InterfaceParts, version: string) {
  const { config, storage, log, faults, clock, randomness, sessions, requests } = parts
  const { parser, parseRule, cursors, plans, shares, ended, access, audit, opaqueIds } = parts
  const { statistics, execution } = parts
  const { validator } = parts.contract
  const { statementTimeoutMs, engine } = config
  const writer = new AnswerWriter()
  const conflicts = parts.commits.log
  const ways = { clock, randomness, plans, parseRule, ended, access, audit, conflicts, statistics }
  const runnerParts = { parser, storage, sessions, cursors, writer, shares, ...ways }
  const attempts = new Attempts(runnerParts)
  const executionParts = { ...runnerParts, statementTimeoutMs, execution, attempts }
  const runner = new StatementRunner(executionParts)
  const begins = new UnreadBegins(sessions)
  const answers = new QueryAnswers({ runner, writer, requests, begins })
  const rows = new RowTransactions(executionParts)
  const scans = new ScanStreams(executionParts)
  const streams = new StreamAnswers({ streams: scans, writer, requests, audit, faults })
  const scripts = new ScriptRunner(executionParts)
  const describe = (sql: string, running: RunningRequest) =>
    describedStatement(sql, executionParts, running)
  const liveParts = { runner, requests, validator, version, log, faults, opaqueIds }
  const live = new LiveConnections({ ...executionParts, ...liveParts })
  const moves = new Moves(storage, config.allowMove, (url) => live.sendOn(url))
  const backups = new Backups({ storage, folder: config.backupsFolder, engine, version, log })
  const metrics = new Metrics({ ...parts, live, version, engine })
  const own = { live, metrics, moves, backups }
  const made = { attempts, runner, writer, begins, answers, rows, scans, scripts, streams }
  return { ...made, describe, ...own }
}

/** A handler for each operation of the contract. */
function handlersOf(parts: InterfaceParts, doers: Doers, version: string) {
  const { config, contract, commits } = parts
  const { streams, subscriptions } = doers.live
  const all = { ...parts, ...doers, version, conflicts: commits.log }
  const { document } = contract
  const { hasConsole } = config
  return {
    ...queryRoutes(all),
    ...completionRoutes(all),
    ...scriptRoutes(all),
    ...rowRoutes(all),
    ...transactionRoutes(all),
    ...runningRoutes(all),
    ...tableRoutes(all),
    ...cellRoutes(all),
    ...operationRoutes(all),
    ...observerRoutes(all),
    ...moveRoutes(all),
    ...backupRoutes(all),
    ...changeRoutes({ ...all, streams, subscriptions }),
    ...metricsRoutes(all),
    ...serverRoutes({ ...all, document, hasConsole }),
  }
}

type AnswerCheck = (operationId: string, sent: SentAnswer) => void

/** Checks answers of operations by their ids; undefined where no check is wanted. */
function answerCheck(
  http: FastifyInstance,
  { contract, onUndeclaredAnswer }: Pick<InterfaceParts, 'contract' | 'onUndeclaredAnswer'>,
): AnswerCheck | undefined {
  if (onUndeclaredAnswer === undefined) return undefined
  const { document, validator } = contract
  const byId = new Map(document.operations.map((operation) => [operation.id, operation]))
  const check: AnswerCheck = (operationId, sent) => {
    const operation = byId.get(operationId)
    const undeclared = operation && undeclaredIn(operation, validator, sent)
    if (undeclared !== undefined) onUndeclaredAnswer(undeclared)
  }
  http.addHook('onSend', async (request, reply, payload) => {
    if (request.method === 'HEAD') return
    check(request.routeOptions.config.operationId ?? '', {
      status: reply.statusCode,
      contentType: reply.getHeader('content-type')?.toString(),
      body: String(payload ?? ''),
    })
  })
  return check
}

function originRulesOf({ allowedHosts, allowedOrigins, host }: Config): OriginRules {
  return { allowedHosts, allowedOrigins, loopbackOnly: isLoopbackName(host) }
}
