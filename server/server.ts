// SPDX-License-Identifier: Apache-2.0
import { Server as TlsServer } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import { type Logger, pino } from 'pino'
import { createParser } from '../parser/parser.ts'
import {
  type Clock,
  openGateway,
  openStorage,
  type Randomness,
  type Storage,
  type StorageOptions,
  systemClock,
  systemRandomness,
} from '../storage/storage.ts'
import type { Config } from './config.ts'
import { Connections } from './doors/http/connections.ts'
import type { BaseDependencies, SharedDependencies } from './doors/http/dependencies.ts'
import { createFastify } from './doors/http/fastify-instance.ts'
import { type ProblemListener, problemSender } from './doors/http/http-errors.ts'
import { addInterface } from './doors/http/http-interface.ts'
import { askerOf } from './doors/http/listed-work.ts'
import { Listeners } from './doors/http/listeners.ts'
import { type Contract, loadContract } from './doors/http/openapi/contract.ts'
import { isLoopbackName } from './doors/http/origin-and-host.ts'
import { PipelinedRequests } from './doors/http/pipelined-requests.ts'
import { Probes } from './doors/http/probes.ts'
import { TlsFiles } from './doors/tls/tls-files.ts'
import type { LiveConnections } from './doors/websocket/live-connections.ts'
import { FaultLog } from './errors/fault-log.ts'
import { ServerError } from './errors/server-error.ts'
import { Access } from './guard/access/access.ts'
import { CursorSecrets } from './guard/access/cursor-secrets.ts'
import { JwtKeys } from './guard/access/jwt-keys.ts'
import { JwtTokens } from './guard/access/jwt-tokens.ts'
import { OpaqueIds } from './guard/access/opaque-ids.ts'
import type { Principal } from './guard/access/principal.ts'
import { ruleParser } from './guard/access/rule-parser.ts'
import type { Audit } from './guard/audit/audit.ts'
import { openAudit } from './guard/audit/open-audit.ts'
import { ClientKeys } from './guard/budgets/client-key.ts'
import { type SharedLimit, Shares } from './guard/budgets/shares.ts'
import { WrittenBytes } from './guard/budgets/written-bytes.ts'
import type { DefinedObserver } from './live/observers/define-observer.ts'
import { InProcessObservers } from './live/observers/in-process-observers.ts'
import type { Backups } from './operations/backups/backups.ts'
import { ConflictLog } from './operations/conflicts/conflict-log.ts'
import { openSharedEngine } from './operations/engines/open-engine.ts'
import { ensureAdmin } from './operations/first-token/first-token.ts'
import { CommitMetrics } from './operations/metrics/commit-metrics.ts'
import type { Metrics } from './operations/metrics/metrics.ts'
import type { Moves } from './operations/move/moves.ts'
import { StatementStatistics } from './operations/statistics/statement-statistics.ts'
import type { AnswerListener } from './requests/answers/answer-body.ts'
import { Cursors } from './requests/prepared/cursor.ts'
import { type RequestsDependencies, RunningRequests } from './requests/prepared/running-requests.ts'
import { PlanCache } from './requests/statements/plan-cache.ts'
import { StatementExecution } from './requests/statements/statement-execution.ts'
import { EndedTransactions } from './requests/transactions/ended-transactions.ts'
import {
  type SessionsDependencies,
  TransactionSessions,
} from './requests/transactions/transaction-sessions.ts'
import { UsageError } from './usage-error.ts'

/** What the server takes from outside; a test hands in its own. */
export type Dependencies = {
  readonly clock?: Clock
  readonly randomness?: Randomness
  readonly log?: Logger
  /** Already open, such as one of several gateways; closed with the server. */
  readonly storage?: Storage
  /** Told once when the disk failed: nothing that is in memory can be trusted any more. */
  readonly onFatal?: (error: Error) => void
  /** Told once of the address, and whether nobody is let in without a token, before the audit log has the start. */
  readonly onListening?: (url: string, isGuarded: boolean) => void
  /** Read from `openapi.yaml` when it is not at hand. */
  readonly contract?: Contract
  /** What runs in this process when rows change; see `docs/observers.md`. */
  readonly observers?: readonly DefinedObserver[]
  /** In place of the usual bounds that all clients share. */
  readonly sharedLimits?: Partial<Record<SharedLimit, number>>
  /** Told of every answer. */
  readonly onAnswer?: AnswerListener
}

/** Between telling what is running to stop and closing its socket. */
const ABORT_GRACE_MS = 500

const MOVED = 'this database has been moved: it can be read, and takes no writes'

/**
 * The composition root: opens the storage and puts everything above it together. Rejects with the
 * storage's StorageError when the data directory cannot be used.
 */
export async function createServer(config: Config, deps: Dependencies = {}): Promise<Server> {
  const { log = pino({ level: 'silent' }), clock = systemClock } = deps
  const randomness = deps.randomness ?? systemRandomness
  const commits = new CommitMetrics(new ConflictLog(clock))
  const storage =
    deps.storage ??
    (await openConfigured(config, {
      ...{ log, clock, randomness, measures: commits },
      retention: retentionOf(config),
      collectionIntervalMs: config.garbageIntervalMs,
      acceptClock: config.acceptClock,
      ...(deps.onFatal === undefined ? {} : { onFatal: deps.onFatal }),
    }))
  try {
    const { contract = loadContract() } = deps
    const faults = new FaultLog(log, () => storage.health.meetDamage())
    const ground = { config, storage, log, faults, clock, randomness, contract, commits }
    return await Server.create({ ...deps, ...ground })
  } catch (error) {
    await storage.close()
    throw error
  }
}

async function openConfigured(
  config: Config,
  options: Omit<StorageOptions, 'engine' | 'dataDirectory'>,
): Promise<Storage> {
  const { engine, sharedEngine, dataDirectory, commit, redoLog, rowCacheBytes, stepDelayMs } =
    config
  if (sharedEngine !== undefined) {
    const cellStore = await openSharedEngine(sharedEngine)
    return await openGateway(cellStore, { ...options, ownsCellStore: true })
  }
  const embedded = engine === 'memory' ? 'memory' : 'sqlite'
  const own = { dataDirectory, commit, redoLog, rowCacheBytes, stepDelayMs }
  return await openStorage({ ...options, ...own, engine: embedded })
}

/** An open transaction holds garbage collection back for as long as it may live. */
function retentionOf(config: Config) {
  const heldMsMax = config.transactionTotalMs + config.statementTimeoutMs
  return { retentionMs: config.retentionMs, heldMsMax }
}

type ServerDependencies = BaseDependencies &
  Pick<Dependencies, 'observers' | 'sharedLimits' | 'onAnswer' | 'onListening'>

export class Server {
  readonly http: FastifyInstance
  readonly #deps: ServerDependencies
  readonly #sessions: TransactionSessions
  readonly #connections: Connections
  readonly #listeners: Listeners
  readonly #tls: TlsFiles | undefined
  readonly #live: LiveConnections
  readonly #metrics: Metrics
  readonly #moves: Moves
  readonly #backups: Backups
  readonly #observers: InProcessObservers
  readonly #sweeping: Promise<void>
  readonly #requests: RunningRequests
  readonly #ended = new EndedTransactions()
  readonly #probes: Probes
  readonly #access: Access
  readonly #written: WrittenBytes<Principal>
  readonly #audit: Audit
  #stopping = false
  #closing: Promise<void> | undefined

  static async create(deps: ServerDependencies): Promise<Server> {
    const { storage, clock, config, log } = deps
    const { adminTokenFile, retentionMs } = config
    const cursorSecrets = new CursorSecrets(await storage.secret('cursor'), clock, retentionMs)
    const jwt = jwtTokensOf(config, { log, clock })
    const audit = auditOf(config, { log, clock })
    try {
      if (adminTokenFile !== undefined) await ensureAdmin(adminTokenFile, { ...deps, audit })
      const accessDeps = { storage, clock, log, mode: config.auth, jwt, cursorSecrets }
      const access = await Access.open(accessDeps)
      const lookAgain = () => (storage.isShared ? access.lookAgain() : undefined)
      const cursors = new Cursors(cursorSecrets, storage.history, lookAgain)
      requireTokens(config, access)
      const opaqueIds = new OpaqueIds(await storage.secret('id'))
      const server = new Server(deps, { cursors, access, audit, opaqueIds })
      if (storage.movedTo !== undefined) log.warn(storage.movedTo, MOVED)
      await server.http.ready()
      server.#observers.start(deps.observers ?? [])
      return server
    } catch (error) {
      await audit.close()
      throw error
    }
  }

  private constructor(
    deps: ServerDependencies,
    own: Pick<SharedDependencies, 'cursors' | 'access' | 'audit' | 'opaqueIds'>,
  ) {
    const { config, storage, log, clock } = deps
    const { access, audit } = own
    this.#deps = deps
    this.#access = access
    this.#audit = audit
    this.#probes = new Probes(storage, clock, config.drainMs)
    const shares = new Shares(deps.sharedLimits)
    const clients = new ClientKeys(config.trustedProxies)
    this.#written = new WrittenBytes({ storage, clock, log, ...rightsOf(access) })
    this.#requests = new RunningRequests({
      ...{ clients, shares, clock, written: this.#written, ...callersOf(access) },
      requestsPerSecond: config.requestsPerSecond,
      storeSilentMs: () => storage.health.silentMs,
    })
    this.#sessions = new TransactionSessions(
      { ...deps, shares, written: this.#written, ended: this.#ended, ...rightsOf(access) },
      { idleMsMax: config.transactionIdleMs, totalMsMax: config.transactionTotalMs },
    )
    const listener: ProblemListener = (problem, at) =>
      audit.answered(problem, askerOf(this.#requests, at))
    const sendProblem = problemSender(deps.faults, listener)
    this.#tls = config.tls === undefined ? undefined : new TlsFiles(config.tls, log)
    const pipelined = new PipelinedRequests(this.#requests)
    this.http = createFastify(sendProblem, pipelined, this.#probes, this.#tls?.credentials)
    this.#listeners = new Listeners(this.http)
    this.#connections = new Connections(this.http.server, clients, shares.connections)
    const parser = createParser()
    const parseRule = ruleParser(parser)
    const plans = new PlanCache(parseRule)
    const statistics = config.countsStatements
      ? new StatementStatistics({ clock, parser })
      : undefined
    const services = { ...own, plans, ended: this.#ended, statistics }
    const execution = new StatementExecution({ ...config, ...deps, ...services })
    const shared = { ...services, parser, parseRule, shares, execution }
    const { live, metrics, moves, backups } = addInterface(this.http, {
      ...deps,
      ...shared,
      sessions: this.#sessions,
      requests: this.#requests,
      sendProblem,
      listener,
      isStopping: () => this.#stopping,
      probes: this.#probes,
    })
    this.#live = live
    this.#metrics = metrics
    this.#moves = moves
    this.#backups = backups
    this.#observers = this.#createObservers(shared)
    this.#sweeping = this.#sessions.sweepUntilClosed()
    access.watch(
      (but) => this.#endRevoked(but),
      () => live.sockets.count > 0 || this.#requests.count > 0,
    )
  }

  /** Resolves when the files of the store were removed or replaced: it can only end. */
  get storeLost(): Promise<unknown> {
    return this.#deps.storage.health.files.whenLost
  }

  /** What its clients hold of what they share. */
  get shares(): Shares {
    return this.#requests.shares
  }

  async listen(): Promise<{ readonly url: string; readonly port: number }> {
    const { host, port } = this.#deps.config
    const address = await this.#listeners.listen({ host, port })
    const name = host.includes(':') ? `[${host}]` : host
    const scheme = this.#tls === undefined ? 'http' : 'https'
    const url = `${scheme}://${name}:${address.port}`
    if (this.http.server instanceof TlsServer) this.#tls?.watch(this.http.server)
    await this.#deps.storage.gateways.announce(this.#deps.config.advertisedUrl ?? url)
    this.#deps.onListening?.(url, this.#access.isRequired)
    this.#audit.started(url, this.#deps.config.givenFlags)
    return { url, port: address.port }
  }

  /** Reads the certificate and the keys of JWTs again, and opens the audit log again; false where there are none. */
  reloadFiles(): boolean {
    this.#tls?.reload()
    const hasKeys = this.#access.reloadKeys()
    const hasAudit = this.#audit.reopen()
    return hasKeys || hasAudit || this.#tls !== undefined
  }

  /**
   * Stops in order: takes no new work (with `drain` not before those who watch `/readyz` could know), lets running
   * requests and observers finish as long as it may wait, rolls open transactions back, closes the storage.
   */
  close({ drain = false }: { readonly drain?: boolean } = {}): Promise<void> {
    this.#closing ??= this.#close(drain)
    return this.#closing
  }

  /** Stops without waiting for those who watch `/readyz`. Returns whether they were waited for. */
  endDrain(): boolean {
    return this.#probes.drain.end()
  }

  #endRevoked(but: object | undefined): void {
    const access = this.#access
    this.#requests.abortWhere((request, raw) =>
      request === but ? undefined : access.refusalOf(access.of(raw)),
    )
    this.#live.sockets.endRevoked()
    this.#live.subscriptions.rightsChanged()
  }

  async #close(drain: boolean): Promise<void> {
    const { shutdownTimeoutMs } = this.#deps.config
    const drainedMs = drain ? await this.#probes.drain.wait(shutdownTimeoutMs) : 0
    const waitMs = Math.max(0, shutdownTimeoutMs - drainedMs)
    this.#stopping = true
    this.#tls?.stop()
    this.#live.stop()
    const finished = Promise.all([this.#listeners.close(), this.#observers.stop()])
    this.#connections.stop()
    const timer = setTimeout(() => {
      this.#requests.abortAll(new ServerError('overloaded', 'The server is stopping.'))
    }, waitMs)
    const lastTimer = setTimeout(() => this.#connections.destroyAll(), waitMs + ABORT_GRACE_MS)
    await finished
    clearTimeout(timer)
    clearTimeout(lastTimer)
    await this.#live.close()
    await this.#moves.stop()
    await this.#backups.stop()
    await this.#access.stop()
    await this.#sessions.close()
    await this.#sweeping
    await this.#written.close()
    this.#metrics.close()
    try {
      await this.#deps.storage.close()
    } finally {
      await this.#audit.close()
    }
  }

  #createObservers(shared: Omit<SharedDependencies, 'audit'>): InProcessObservers {
    const { parser, cursors, execution, ended } = shared
    const { config, storage, clock, log } = this.#deps
    const { transactionTotalMs: runMsMax } = config
    const requests = this.#requests
    const parts = { parser, cursors, execution, storage, clock, log, requests, ended, runMsMax }
    return new InProcessObservers(parts)
  }
}

/** What sessions ask of the rights of now. */
function rightsOf(access: Access): Required<Pick<SessionsDependencies, 'limitsOf' | 'viewOf'>> {
  return {
    limitsOf: (who) => access.limitsOf(who),
    viewOf: (who, catalog) => access.viewOf(who, catalog),
  }
}

/** Who sent a request, what limits it has, and whether it may go on. */
function callersOf(
  access: Access,
): Pick<RequestsDependencies, 'principalOf' | 'limitsOf' | 'refusalOf'> {
  return {
    principalOf: (raw) => access.of(raw),
    limitsOf: (principal) => access.limitsOf(principal),
    refusalOf: (raw) => access.refusalSince(raw),
  }
}

/** Undefined where no JWT is taken. Throws UsageError where its keys cannot be used. */
function jwtTokensOf({ jwt }: Config, options: JwtOptions): JwtTokens | undefined {
  if (jwt === undefined) return undefined
  try {
    return new JwtTokens(jwt, new JwtKeys(jwt.keys, options), options.clock)
  } catch (error) {
    const where = jwt.keys.kind === 'file' ? jwt.keys.path : jwt.keys.url
    throw new UsageError(`--jwt-keys ${where}: ${(error as Error).message}.`)
  }
}

/** Throws UsageError where its file cannot be used. */
function auditOf({ audit }: Config, options: JwtOptions): Audit {
  try {
    return openAudit(audit, options)
  } catch (error) {
    throw new UsageError(`--audit ${audit}: ${(error as Error).message}.`)
  }
}

type JwtOptions = ConstructorParameters<typeof JwtKeys>[1]

/** Throws UsageError where the tokens of the store and the flags of the server contradict each other. */
function requireTokens({ auth, host, jwt }: Config, { tokenCount }: Access): void {
  if (auth === 'off' && tokenCount > 0) {
    throw new UsageError(
      '--no-auth: this database has tokens of access, so start without it. When all are lost, make one with percolite token create.',
    )
  }
  if (auth === 'required' && jwt === undefined && tokenCount === 0 && !isLoopbackName(host)) {
    throw new UsageError(
      `--host ${host}: nobody could get in, because there is no token. Make the first one with --admin-token-file or percolite token create.`,
    )
  }
}
