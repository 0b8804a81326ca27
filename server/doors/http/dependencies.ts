// SPDX-License-Identifier: Apache-2.0
import type { Logger } from 'pino'
import type { Parser } from '../../../parser/parser.ts'
import type { ParseRule } from '../../../planner/planner.ts'
import type { Clock, Randomness, Storage } from '../../../storage/storage.ts'
import type { Config } from '../../config.ts'
import type { FaultLog } from '../../errors/fault-log.ts'
import type { Access } from '../../guard/access/access.ts'
import type { OpaqueIds } from '../../guard/access/opaque-ids.ts'
import type { Audit } from '../../guard/audit/audit.ts'
import type { Shares } from '../../guard/budgets/shares.ts'
import type { ScheduleTimer } from '../../live/observers/schedule-timer.ts'
import { RelayAddresses } from '../../live/relays/relay-addresses.ts'
import { Relays, relaySettingOf } from '../../live/relays/relays.ts'
import { Backups } from '../../operations/backups/backups.ts'
import type { CommitMetrics } from '../../operations/metrics/commit-metrics.ts'
import { Metrics } from '../../operations/metrics/metrics.ts'
import { Moves } from '../../operations/move/moves.ts'
import type { Availability } from '../../operations/replication/availability.ts'
import { Followers } from '../../operations/replication/followers.ts'
import type { Following } from '../../operations/replication/standby-state.ts'
import type { StatementStatistics } from '../../operations/statistics/statement-statistics.ts'
import type { Tracing } from '../../operations/tracing/tracing.ts'
import type { AnswerListener } from '../../requests/answers/answer-body.ts'
import { AnswerWriter } from '../../requests/answers/answer-text.ts'
import type { Cursors } from '../../requests/prepared/cursor.ts'
import type { RunningRequest } from '../../requests/prepared/running-request.ts'
import type { RunningRequests } from '../../requests/prepared/running-requests.ts'
import { RowTransactions } from '../../requests/rows/row-transactions.ts'
import { ScriptRunner } from '../../requests/scripts/script-runner.ts'
import { describedStatement } from '../../requests/statements/described-statement.ts'
import type { PlanCache } from '../../requests/statements/plan-cache.ts'
import { ScanStreams } from '../../requests/statements/scan-streams.ts'
import type { StatementExecution } from '../../requests/statements/statement-execution.ts'
import { StatementRunner } from '../../requests/statements/statement-runner.ts'
import { Attempts } from '../../requests/transactions/attempt.ts'
import type { EndedTransactions } from '../../requests/transactions/ended-transactions.ts'
import type { TransactionSessions } from '../../requests/transactions/transaction-sessions.ts'
import { UnreadBegins } from '../../requests/transactions/unread-begins.ts'
import { LiveConnections } from '../websocket/live-connections.ts'
import { QueryAnswers } from './answers/query-answers.ts'
import { StreamAnswers } from './answers/stream-answers.ts'
import type { ProblemListener, ProblemSender } from './http-errors.ts'
import type { Contract } from './openapi/contract.ts'
import type { Probes } from './probes.ts'

/** What everything that runs statements uses together. */
export type SharedDependencies = {
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
export type BaseDependencies = {
  readonly config: Config
  readonly storage: Storage
  readonly log: Logger
  readonly faults: FaultLog
  readonly clock: Clock
  readonly randomness: Randomness
  readonly contract: Contract
  readonly commits: CommitMetrics
  /** Where the process has the SDK of OpenTelemetry. */
  readonly tracing: Tracing | undefined
  /** Where it follows another server. */
  readonly following?: Following | undefined
}

export type DoorDependencies = BaseDependencies &
  SharedDependencies & {
    readonly sessions: TransactionSessions
    readonly requests: RunningRequests
    readonly schedules: ScheduleTimer
    readonly sendProblem: ProblemSender
    readonly listener: ProblemListener
    readonly availability: Availability
    readonly probes: Probes
    readonly onAnswer?: AnswerListener
  }

export type Services = ReturnType<typeof servicesOf>

/** What carries requests out and answers them. */
export function servicesOf(deps: DoorDependencies, version: string) {
  const { config, storage, log, faults, clock, randomness, sessions, requests } = deps
  const { parser, parseRule, cursors, plans, shares, ended, access, audit, opaqueIds } = deps
  const { statistics, execution } = deps
  const { validator } = deps.contract
  const { statementTimeoutMs, engine } = config
  const writer = new AnswerWriter()
  const addresses = new RelayAddresses(config.relayTo)
  const relaySetting = relaySettingOf({ ...deps, addresses })
  const conflicts = deps.commits.log
  const services = {
    clock,
    randomness,
    plans,
    parseRule,
    ended,
    access,
    audit,
    conflicts,
    statistics,
  }
  const runnerDeps = { parser, storage, sessions, cursors, writer, shares, ...services }
  const attempts = new Attempts(runnerDeps)
  const executionDeps = { ...runnerDeps, statementTimeoutMs, execution, attempts, relaySetting }
  const runner = new StatementRunner(executionDeps)
  const begins = new UnreadBegins(sessions)
  const answers = new QueryAnswers({ runner, writer, requests, begins })
  const rows = new RowTransactions(executionDeps)
  const scans = new ScanStreams(executionDeps)
  const streams = new StreamAnswers({ streams: scans, writer, requests, audit, faults })
  const scripts = new ScriptRunner(executionDeps)
  const describe = (sql: string, running: RunningRequest) =>
    describedStatement(sql, executionDeps, running)
  const liveDeps = { runner, requests, validator, version, log, faults, opaqueIds }
  const live = new LiveConnections({ ...executionDeps, ...liveDeps })
  const moves = new Moves(storage, config.allowMove, (url) => live.sendOn(url))
  const backups = new Backups({ storage, folder: config.backupsFolder, engine, version, log })
  const relays = new Relays({ ...deps, addresses })
  const metrics = new Metrics({ ...deps, live, relays, version, engine })
  const followers = new Followers({ storage, clock, folder: config.dataDirectory })
  const own = { live, metrics, moves, backups, followers, relays }
  const made = { attempts, runner, writer, begins, answers, rows, scans, scripts, streams }
  return { ...made, describe, ...own }
}

/** What the routes carry requests out by. */
export type RouteDependencies = DoorDependencies & Services & { readonly version: string }
