// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { type Logger, pino } from 'pino'
import { createParser, type Parser } from '../parser/parser.ts'
import {
  type Clock,
  openStorage,
  type Randomness,
  type Storage,
  systemClock,
  systemRandomness,
} from '../storage/storage.ts'
import { AnswerWriter } from './answer-text.ts'
import { addBodyParsers } from './body.ts'
import type { Config } from './config.ts'
import { Connections } from './connections.ts'
import { Cursors } from './cursor.ts'
import { addDocumentationPages } from './documentation-pages.ts'
import { createFastify } from './fastify-instance.ts'
import { addErrorHandling, type ProblemSender, problemSender } from './http-errors.ts'
import { LiveConnections } from './live-connections.ts'
import { Metrics } from './metrics/metrics.ts'
import type { DefinedObserver } from './observers/define-observer.ts'
import { InProcessObservers } from './observers/in-process-observers.ts'
import { type SentAnswer, undeclaredIn } from './openapi/answer-check.ts'
import { bindOperations } from './openapi/binding.ts'
import { type Contract, loadContract } from './openapi/contract.ts'
import type { OpenApiDocument } from './openapi/document.ts'
import type { SchemaValidator } from './openapi/validator.ts'
import { isLoopbackName, type OriginRules } from './origin-and-host.ts'
import { Outbox } from './outbox.ts'
import { PlanCache } from './plan-cache.ts'
import { QueryAnswers } from './query-answers.ts'
import { addRequestHooks } from './request-hooks.ts'
import { changeRoutes } from './routes/change-routes.ts'
import { metricsRoutes } from './routes/metrics-routes.ts'
import { observerRoutes } from './routes/observer-routes.ts'
import { operationRoutes } from './routes/operation-routes.ts'
import { queryRoutes } from './routes/query-routes.ts'
import { queryShortcut } from './routes/query-shortcut.ts'
import { rowRoutes } from './routes/row-routes.ts'
import { serverRoutes } from './routes/server-routes.ts'
import { tableRoutes } from './routes/table-routes.ts'
import { transactionRoutes } from './routes/transaction-routes.ts'
import { RowTransactions } from './rows/row-transactions.ts'
import { RunningRequests } from './running-request.ts'
import { ScanStreams } from './scan-streams.ts'
import { ServerError } from './server-error.ts'
import { StatementExecution } from './statement-execution.ts'
import { StatementRunner } from './statement-runner.ts'
import { StreamAnswers } from './stream-answers.ts'
import { TransactionSessions } from './transaction-sessions.ts'
import { TurnQueue } from './turns.ts'

/** What the server takes from outside; a test hands in its own. */
export type Outside = {
  readonly clock?: Clock
  readonly randomness?: Randomness
  readonly log?: Logger
  /** Already open, such as one of several gateways; closed with the server. */
  readonly storage?: Storage
  /** Told once when the disk failed: nothing that is in memory can be trusted any more. */
  readonly onFatal?: (error: Error) => void
  /** Read from `openapi.yaml` when it is not at hand. */
  readonly contract?: Contract
  /** What runs in this process when rows change; see `docs/observers.md`. */
  readonly observers?: readonly DefinedObserver[]
  /** Told of every answer that `openapi.yaml` does not declare; without it, answers go unchecked. */
  readonly onUndeclaredAnswer?: (description: string) => void
}

/** Between telling what is running to stop and closing its socket. */
const ABORT_GRACE_MS = 500

/**
 * The composition root: opens the storage and puts everything above it together. Rejects with the
 * storage's StorageError when the data directory cannot be used.
 */
export async function createServer(config: Config, outside: Outside = {}): Promise<Server> {
  const { log = pino({ level: 'silent' }), clock = systemClock } = outside
  const randomness = outside.randomness ?? systemRandomness
  const storage =
    outside.storage ??
    (await openStorage({
      engine: config.engine,
      dataDirectory: config.dataDirectory,
      commit: config.commit,
      log,
      clock,
      randomness,
      retention: retentionOf(config),
      collectionIntervalMs: config.garbageIntervalMs,
      ...(outside.onFatal === undefined ? {} : { onFatal: outside.onFatal }),
    }))
  try {
    const { contract = loadContract() } = outside
    return await Server.create({ ...outside, config, storage, log, clock, randomness, contract })
  } catch (error) {
    await storage.close()
    throw error
  }
}

/** An open transaction holds garbage collection back for as long as it may live. */
function retentionOf(config: Config) {
  const heldMsMax = config.transactionTotalMs + config.statementTimeoutMs
  return { retentionMs: config.retentionMs, heldMsMax }
}

type ServerParts = {
  readonly config: Config
  readonly storage: Storage
  readonly log: Logger
  readonly clock: Clock
  readonly randomness: Randomness
  readonly contract: Contract
  readonly observers?: readonly DefinedObserver[]
  readonly onUndeclaredAnswer?: Outside['onUndeclaredAnswer']
}

/** What everything that runs statements uses together. */
type Shared = {
  readonly parser: Parser
  readonly cursors: Cursors
  readonly turnQueue: TurnQueue
  readonly plans: PlanCache
}

export class Server {
  /** For requests without a socket: `server.http.inject(…)`. */
  readonly http: FastifyInstance
  readonly #parts: ServerParts
  readonly #sendProblem: ProblemSender
  readonly #sessions: TransactionSessions
  readonly #connections: Connections
  readonly #live: LiveConnections
  readonly #metrics: Metrics
  readonly #observers: InProcessObservers
  readonly #sweeping: Promise<void>
  readonly #requests = new RunningRequests()
  #stopping = false
  #closing: Promise<void> | undefined

  static async create(parts: ServerParts): Promise<Server> {
    const cursors = new Cursors(await parts.storage.secret('cursor'))
    const server = new Server(parts, cursors)
    await server.http.ready()
    server.#observers.start(parts.observers ?? [])
    return server
  }

  private constructor(parts: ServerParts, cursors: Cursors) {
    const { config, storage, log, clock } = parts
    this.#parts = parts
    this.#sessions = new TransactionSessions(storage, clock, {
      idleMsMax: config.transactionIdleMs,
      totalMsMax: config.transactionTotalMs,
    })
    this.#sendProblem = problemSender(log)
    this.http = createFastify(this.#sendProblem)
    this.#connections = new Connections(this.http.server)
    const shared = {
      parser: createParser(),
      cursors,
      turnQueue: new TurnQueue(clock),
      plans: new PlanCache(),
    }
    const { live, metrics } = this.#addRoutes(shared)
    this.#live = live
    this.#metrics = metrics
    this.#observers = this.#createObservers(shared)
    this.#sweeping = this.#sessions.sweepUntilClosed()
  }

  async listen(): Promise<{ readonly url: string; readonly port: number }> {
    const { host, port } = this.#parts.config
    await this.http.listen({ host, port })
    const address = this.http.server.address() as AddressInfo
    const name = host.includes(':') ? `[${host}]` : host
    return { url: `http://${name}:${address.port}`, port: address.port }
  }

  /**
   * Stops in order: takes no new work, lets running requests and observers finish as long as it may
   * wait, rolls open transactions back, closes the storage.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#stopping = true
    this.#live.stop()
    const finished = Promise.all([this.http.close(), this.#observers.stop()])
    this.#connections.stop()
    const timer = setTimeout(() => {
      this.#requests.abortAll(new ServerError('overloaded', 'The server is stopping.'))
    }, this.#parts.config.shutdownTimeoutMs)
    const lastTimer = setTimeout(
      () => this.#connections.destroyAll(),
      this.#parts.config.shutdownTimeoutMs + ABORT_GRACE_MS,
    )
    await finished
    clearTimeout(timer)
    clearTimeout(lastTimer)
    await this.#live.close()
    await this.#sessions.close()
    await this.#sweeping
    this.#metrics.close()
    await this.#parts.storage.close()
  }

  #createObservers({ parser, cursors, turnQueue, plans }: Shared): InProcessObservers {
    const { config, storage, clock, randomness, log } = this.#parts
    const { statementTimeoutMs, transactionTotalMs: runMsMax } = config
    const ways = { clock, randomness, turnQueue, plans }
    const executionParts = { storage, statementTimeoutMs, ...ways }
    const execution = new StatementExecution(executionParts)
    const requests = this.#requests
    const parts = { parser, cursors, execution, storage, clock, log, requests, runMsMax }
    return new InProcessObservers(parts)
  }

  #addRoutes({ parser, cursors, turnQueue, plans }: Shared): {
    readonly live: LiveConnections
    readonly metrics: Metrics
  } {
    const { config, storage, clock, randomness, log } = this.#parts
    const { document, validator } = this.#parts.contract
    const { version } = JSON.parse(readText('../package.json'))
    const sessions = this.#sessions
    const { statementTimeoutMs } = config
    const requests = this.#requests
    const writer = new AnswerWriter()
    const ways = { clock, randomness, turnQueue, plans }
    const runnerParts = { parser, storage, sessions, cursors, writer, ...ways }
    const executionParts = { ...runnerParts, statementTimeoutMs }
    const runner = new StatementRunner(executionParts)
    const answers = new QueryAnswers({ runner, writer, requests, turnQueue, clock })
    const rows = new RowTransactions(executionParts)
    const scans = new ScanStreams(executionParts)
    const streams = new StreamAnswers({ streams: scans, writer, requests, log })
    const live = new LiveConnections({
      ...executionParts,
      runner,
      requests,
      validator,
      version,
      log,
    })

    const metrics = new Metrics({ storage, sessions, live, version, engine: config.engine })

    metrics.watch(this.http)
    addRequestHooks(this.http, {
      rules: originRulesOf(config),
      log,
      isStopping: () => this.#stopping,
    })
    addBodyParsers(this.http)
    addErrorHandling(this.http, document.operations, this.#sendProblem)
    const checkAnswer = this.#answerCheck(document, validator)
    addDocumentationPages(this.http, document)
    const shortcut = queryShortcut({
      answers,
      outbox: new Outbox(),
      checkAnswer: checkAnswer && ((sent) => checkAnswer('query', sent)),
    })
    const handlers = {
      ...queryRoutes({ answers, scans, streams }),
      ...rowRoutes({ rows, streams, parser, cursors, writer, clock, turnQueue, requests }),
      ...transactionRoutes({ sessions }),
      ...tableRoutes({ storage }),
      ...operationRoutes({
        storage,
        sessions,
        clock,
        engine: config.engine,
        version,
        requests,
      }),
      ...observerRoutes({ storage }),
      ...changeRoutes({ streams: live.streams, requests }),
      ...metricsRoutes({ metrics }),
      ...serverRoutes({ document, version, isStopping: () => this.#stopping }),
    }
    bindOperations(this.http, document, validator, handlers, {
      shortcuts: { query: shortcut },
      adders: { openSocket: (route) => live.sockets.addRoute(this.http, route) },
    })
    return { live, metrics }
  }

  /** Checks answers of operations by their ids; undefined where nobody wants to know. */
  #answerCheck(document: OpenApiDocument, validator: SchemaValidator): AnswerCheck | undefined {
    const { onUndeclaredAnswer } = this.#parts
    if (onUndeclaredAnswer === undefined) return undefined
    const byId = new Map(document.operations.map((operation) => [operation.id, operation]))
    const check: AnswerCheck = (operationId, sent) => {
      const operation = byId.get(operationId)
      const undeclared = operation && undeclaredIn(operation, validator, sent)
      if (undeclared !== undefined) onUndeclaredAnswer(undeclared)
    }
    this.http.addHook('onSend', async (request, reply, payload) => {
      if (request.method === 'HEAD') return
      check(request.routeOptions.config.operationId ?? '', {
        status: reply.statusCode,
        contentType: reply.getHeader('content-type')?.toString(),
        body: String(payload ?? ''),
      })
    })
    return check
  }
}

type AnswerCheck = (operationId: string, sent: SentAnswer) => void

function originRulesOf({ allowedHosts, allowedOrigins, host }: Config): OriginRules {
  return { allowedHosts, allowedOrigins, loopbackOnly: isLoopbackName(host) }
}

function readText(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8')
}
