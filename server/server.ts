// SPDX-License-Identifier: Apache-2.0
import { Server as TlsServer } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import { type Logger, pino } from 'pino'
import { createParser } from '../parser/parser.ts'
import type { Successor } from '../storage/operations/operations.ts'
import {
  type Clock,
  type Randomness,
  type Storage,
  systemClock,
  systemRandomness,
} from '../storage/storage.ts'
import type { Config } from './config.ts'
import { Connections } from './doors/http/connections.ts'
import type { BaseDependencies, SharedDependencies } from './doors/http/dependencies.ts'
import { createFastify } from './doors/http/fastify-instance.ts'
import { type ProblemListener, problemSender } from './doors/http/http-errors.ts'
import { addInterface, type OpenServices } from './doors/http/http-interface.ts'
import { askerOf } from './doors/http/listed-work.ts'
import { Listeners } from './doors/http/listeners.ts'
import { type Contract, loadContract } from './doors/http/openapi/contract.ts'
import { PipelinedRequests } from './doors/http/pipelined-requests.ts'
import { Probes } from './doors/http/probes.ts'
import { TlsFiles } from './doors/tls/tls-files.ts'
import { FaultLog } from './errors/fault-log.ts'
import { ServerError } from './errors/server-error.ts'
import { Access } from './guard/access/access.ts'
import { CursorSecrets } from './guard/access/cursor-secrets.ts'
import { OpaqueIds } from './guard/access/opaque-ids.ts'
import type { Principal } from './guard/access/principal.ts'
import { ruleParser } from './guard/access/rule-parser.ts'
import type { Audit } from './guard/audit/audit.ts'
import { ClientKeys } from './guard/budgets/client-key.ts'
import { type SharedLimit, Shares } from './guard/budgets/shares.ts'
import { WrittenBytes } from './guard/budgets/written-bytes.ts'
import type { DefinedObserver } from './live/observers/define-observer.ts'
import { OwnRuns } from './live/observers/own-runs.ts'
import { ConflictLog } from './operations/conflicts/conflict-log.ts'
import { ensureAdmin } from './operations/first-token/first-token.ts'
import { CommitMetrics } from './operations/metrics/commit-metrics.ts'
import { Availability } from './operations/replication/availability.ts'
import { copiedBeforeStop } from './operations/replication/copied-before-stop.ts'
import type { Peer } from './operations/replication/peer.ts'
import type { Following } from './operations/replication/standby-state.ts'
import { SlowStatements } from './operations/statistics/slow-statements.ts'
import { StatementStatistics } from './operations/statistics/statement-statistics.ts'
import { tracingOf } from './operations/tracing/tracing.ts'
import { packageVersion } from './package-files.ts'
import type { AnswerListener } from './requests/answers/answer-body.ts'
import { Cursors } from './requests/prepared/cursor.ts'
import { RunningRequests } from './requests/prepared/running-requests.ts'
import { PlanCache } from './requests/statements/plan-cache.ts'
import { StatementExecution } from './requests/statements/statement-execution.ts'
import { EndedTransactions } from './requests/transactions/ended-transactions.ts'
import { TransactionSessions } from './requests/transactions/transaction-sessions.ts'
import { openServed, peerOf } from './served-store.ts'
import {
  auditOf,
  callersOf,
  jwtTokensOf,
  requireTokens,
  retentionOf,
  rightsOf,
} from './server-parts.ts'

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
  /** Of a server that follows another; see `StandbyServer`. */
  readonly following?: Following
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
  const peer = peerOf(config, { log, clock, randomness })
  const { storage, successor } =
    deps.storage === undefined
      ? await openServed(config, peer, {
          ...{ log, clock, randomness, measures: commits },
          retention: retentionOf(config),
          collectionIntervalMs: config.garbageIntervalMs,
          acceptClock: config.acceptClock,
          ...(deps.onFatal === undefined ? {} : { onFatal: deps.onFatal }),
        })
      : { storage: deps.storage }
  try {
    const { contract = loadContract() } = deps
    const faults = new FaultLog(log, () => storage.health.meetDamage())
    const tracing = await tracingOf(packageVersion())
    const base = { config, storage, log, faults, clock, randomness, contract, commits, tracing }
    return await Server.create({ ...deps, ...base, successor, peer })
  } catch (error) {
    await storage.close()
    throw error
  }
}

type ServerDependencies = BaseDependencies &
  Pick<Dependencies, 'observers' | 'sharedLimits' | 'onAnswer' | 'onListening'> & {
    /** Who had taken its place before it started. */
    readonly successor?: Successor | undefined
    readonly peer?: Peer | undefined
  }

export class Server {
  readonly http: FastifyInstance
  readonly #deps: ServerDependencies
  readonly #sessions: TransactionSessions
  readonly #connections: Connections
  readonly #listeners: Listeners
  readonly #tls: TlsFiles | undefined
  readonly #services: OpenServices
  readonly #runs: OwnRuns
  readonly #sweeping: Promise<void>
  readonly #requests: RunningRequests
  readonly #ended = new EndedTransactions()
  readonly #probes: Probes
  readonly #access: Access
  readonly #written: WrittenBytes<Principal>
  readonly #audit: Audit
  readonly #availability: Availability
  readonly #stopping = new AbortController()
  #closing: Promise<void> | undefined

  static async create(deps: ServerDependencies): Promise<Server> {
    const { storage, clock, config, log } = deps
    const { adminTokenFile } = config
    const first = await storage.secret('cursor')
    const cursorSecrets = new CursorSecrets(first, clock, storage.retention)
    const jwt = jwtTokensOf(config, { log, clock })
    const audit = auditOf(config, { log, clock })
    try {
      // A standby has the tokens of its primary.
      const makesToken = adminTokenFile !== undefined && storage.standby === undefined
      if (makesToken) await ensureAdmin(adminTokenFile, { ...deps, audit })
      const accessDeps = { storage, clock, log, mode: config.auth, jwt, cursorSecrets }
      const access = await Access.open(accessDeps)
      const lookAgain = () => (storage.isShared ? access.lookAgain() : undefined)
      const cursors = new Cursors(cursorSecrets, storage.history, lookAgain)
      requireTokens(config, access)
      const opaqueIds = new OpaqueIds(await storage.secret('id'))
      const server = new Server(deps, { cursors, access, audit, opaqueIds })
      if (storage.movedTo !== undefined) log.warn(storage.movedTo, MOVED)
      server.#availability.whenReplaced.then((by) => server.#replacedBy(by))
      server.#watchPeer()
      await server.http.ready()
      await server.#begin(deps.observers ?? [])
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
    const { config, storage, log, clock, access, audit } = { ...deps, ...own }
    this.#deps = deps
    this.#access = access
    this.#audit = audit
    this.#availability = new Availability(storage, config.dataDirectory, deps.successor)
    this.#probes = new Probes(this.#availability, { ...deps, drainMs: config.drainMs })
    const shares = new Shares(deps.sharedLimits)
    const clients = new ClientKeys(config.trustedProxies)
    this.#written = new WrittenBytes({ storage, clock, log, ...rightsOf(access) })
    this.#requests = new RunningRequests({
      ...{ clients, shares, clock, written: this.#written, ...callersOf(access) },
      requestsPerSecond: config.requestsPerSecond,
      storeSilentMs: () => storage.health.silentMs,
      ...(config.secondCopy !== 'none' && { copyWaitMs: config.statementTimeoutMs }),
    })
    this.#sessions = new TransactionSessions(
      { ...deps, shares, written: this.#written, ended: this.#ended, ...rightsOf(access) },
      { idleMsMax: config.transactionIdleMs, totalMsMax: config.transactionTotalMs },
    )
    const listener = auditListener(audit, this.#requests)
    const sendProblem = problemSender(deps.faults, listener)
    this.#tls = config.tls && new TlsFiles(config.tls, log)
    const pipelined = new PipelinedRequests(this.#requests)
    this.http = createFastify(sendProblem, pipelined, this.#probes, this.#tls?.credentials)
    this.#listeners = new Listeners(this.http)
    this.#connections = new Connections(this.http.server, clients, shares.connections)
    const parser = createParser()
    const parseRule = ruleParser(parser)
    const plans = new PlanCache(parseRule)
    const statistics = config.countsStatements
      ? new StatementStatistics({ clock, parser, slow: new SlowStatements(config.slowMs, deps) })
      : undefined
    const services = { ...own, plans, ended: this.#ended, statistics }
    const execution = new StatementExecution({ ...config, ...deps, ...services })
    const shared = { ...services, parser, parseRule, shares, execution }
    this.#runs = this.#createRuns(shared)
    this.#services = addInterface(this.http, {
      ...{ ...deps, ...shared, schedules: this.#runs.schedules },
      sessions: this.#sessions,
      requests: this.#requests,
      sendProblem,
      listener,
      availability: this.#availability,
      probes: this.#probes,
    })
    this.#sweeping = this.#sessions.sweepUntilClosed()
    access.watch(
      (but) => this.#endRevoked(but),
      () => this.#services.live.sockets.count > 0 || this.#requests.count > 0,
    )
  }

  /** Resolves when the files of the store were removed or replaced: it can only end. */
  get storeLost(): Promise<unknown> {
    return this.#deps.storage.health.files.whenLost
  }

  /** What it serves. */
  get storage(): Storage {
    return this.#deps.storage
  }

  /** What its clients hold of what they share. */
  get shares(): Shares {
    return this.#requests.shares
  }

  /** From now on writes need a second copy, where one is demanded, observers and schedules run, and relays send. */
  async #begin(observers: readonly DefinedObserver[]): Promise<void> {
    const { config, storage } = this.#deps
    const demanded = await storage.primary?.demand(config.secondCopy)
    // Those of the primary run, until this one is promoted.
    if (storage.standby !== undefined) return
    const start = () => {
      this.#runs.start(observers)
      this.#services.relays.start()
    }
    if (demanded !== undefined && config.secondCopy === 'required') {
      this.#availability.awaitCopy(demanded.copied)
      // A run, and a relay, may tell others what it sees, which nobody may have been answered (S4).
      demanded.copied.then(start)
    } else start()
  }

  /** At the port of the configuration unless another is given, and where that is 0 at a free one. */
  async listen(at?: number): Promise<{ readonly url: string; readonly port: number }> {
    const { host, port } = this.#deps.config
    const address = await this.#listeners.listen({ host, port: at ?? port })
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

  /** Whoever is here now finds the other server. */
  #replacedBy(by: Error): void {
    this.#deps.log.warn({ reason: by.message }, 'another server has taken the place of this one')
    this.#requests.abortAll(by)
    this.#services.live.stop()
    this.#runs.stop()
    this.#services.relays.stop()
  }

  /** It may have been promoted while this server was cut off from it, or while nobody could tell this one. */
  async #watchPeer(): Promise<void> {
    const { peer, storage } = this.#deps
    if (peer === undefined || storage.primary === undefined) return
    const availability = this.#availability
    const isNewer = (promotion: string) => availability.isOlderThan(promotion)
    const history = await peer.promotionWhen(isNewer, this.#stopping.signal).catch(() => undefined)
    if (history === undefined) return
    availability.supersede({ url: peer.url, history })
    this.#audit.superseded({ address: 'server', operation: 'askPeer' }, peer.url)
  }

  #endRevoked(but: object | undefined): void {
    const access = this.#access
    this.#requests.abortWhere((request, raw) =>
      request === but ? undefined : access.refusalOf(access.of(raw)),
    )
    this.#services.live.sockets.endRevoked()
    this.#services.live.subscriptions.rightsChanged()
  }

  async #close(drain: boolean): Promise<void> {
    const { shutdownTimeoutMs } = this.#deps.config
    const drainedMs = drain ? await this.#probes.drain.wait(shutdownTimeoutMs) : 0
    this.#availability.stop()
    this.#stopping.abort()
    this.#tls?.stop()
    this.#services.live.stop()
    const observed = Promise.all([this.#runs.stop(), this.#services.relays.stop()])
    const copyMsMax = shutdownTimeoutMs - drainedMs
    const copiedMs = await copiedBeforeStop(this.#deps, this.#requests, copyMsMax)
    const waitMs = Math.max(0, shutdownTimeoutMs - drainedMs - copiedMs)
    const finished = Promise.all([this.#listeners.close(), observed])
    this.#connections.stop()
    const timer = setTimeout(() => {
      this.#requests.abortAll(new ServerError('overloaded', 'The server is stopping.'))
    }, waitMs)
    const lastTimer = setTimeout(() => {
      this.#connections.destroyAll()
      this.#endCopies()
    }, waitMs + ABORT_GRACE_MS)
    await finished
    clearTimeout(timer)
    clearTimeout(lastTimer)
    this.#endCopies()
    await this.#services.live.close()
    await this.#services.moves.stop()
    await this.#services.backups.stop()
    await this.#access.stop()
    await this.#sessions.close()
    await this.#sweeping
    await this.#written.close()
    this.#services.metrics.close()
    try {
      await this.#deps.storage.close()
    } finally {
      await this.#audit.close()
    }
  }

  /** Nobody is there any more who could be answered: what waits for a second copy ends without it. */
  #endCopies(): void {
    void this.#deps.storage.primary?.demand('none')
  }

  #createRuns(shared: Omit<SharedDependencies, 'audit'>): OwnRuns {
    const { parser, cursors, execution, ended } = shared
    const { transactionTotalMs: runMsMax } = this.#deps.config
    const parts = { parser, cursors, execution, ended, runMsMax, requests: this.#requests }
    return new OwnRuns({ ...this.#deps, ...parts })
  }
}

function auditListener(audit: Audit, requests: RunningRequests): ProblemListener {
  return (problem, at) => audit.answered(problem, askerOf(requests, at))
}
