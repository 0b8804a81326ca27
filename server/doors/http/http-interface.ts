// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import { HISTORY_HEADER, requireHistory } from '../../guard/history/request-history.ts'
import { packageVersion } from '../../package-files.ts'
import type { AnswerListener } from '../../requests/answers/answer-body.ts'
import { StraightQueries } from '../straight/straight-queries.ts'
import { StraightReads } from '../straight/straight-reads.ts'
import { StraightWay } from '../straight/straight-way.ts'
import { StraightWrites } from '../straight/straight-writes.ts'
import { admission } from './admission.ts'
import { Outbox } from './answers/outbox.ts'
import { addBodyParsers } from './bodies/body.ts'
import { LargeBodies } from './bodies/large-bodies.ts'
import { addConsolePages, addDocumentationPages } from './console-pages.ts'
import {
  type DoorDependencies,
  type RouteDependencies,
  type Services,
  servicesOf,
} from './dependencies.ts'
import { Forwarding } from './forwarding/forwarding.ts'
import { addErrorHandling } from './http-errors.ts'
import { bindOperations, bodyCheck } from './openapi/binding.ts'
import type { Operation } from './openapi/document.ts'
import { isLoopbackName, type OriginRules } from './origin-and-host.ts'
import { addRequestHooks, headersOfAll } from './request-hooks.ts'
import { accessRoutes } from './routes/access-routes.ts'
import { backupRoutes, moveRoutes } from './routes/backup-routes.ts'
import { cellRoutes } from './routes/cell-routes.ts'
import { changeRoutes } from './routes/change-routes.ts'
import { observerRoutes } from './routes/observer-routes.ts'
import { metricsRoutes, operationRoutes, runningRoutes } from './routes/operation-routes.ts'
import { completionRoutes, queryRoutes, scriptRoutes } from './routes/query-routes.ts'
import { replicationRoutes } from './routes/replication-routes.ts'
import { rowRoutes } from './routes/row-routes.ts'
import { serverRoutes } from './routes/server-routes.ts'
import { standbyRoutes } from './routes/standby-routes.ts'
import { tableRoutes } from './routes/table-routes.ts'
import { transactionRoutes } from './routes/transaction-routes.ts'

/** What has to be ended with the server. */
export type OpenServices = Pick<Services, 'live' | 'metrics' | 'moves' | 'backups' | 'relays'>

/** Adds everything that can be asked over HTTP. A hook sees the requests of the routes that come after it. */
export function addInterface(http: FastifyInstance, deps: DoorDependencies): OpenServices {
  const { config, storage, log, requests, availability, onAnswer } = deps
  const { document, validator } = deps.contract
  const version = packageVersion()
  const services = servicesOf(deps, version)
  const { live, metrics, moves, backups, relays } = services
  const history = storage.history
  metrics.requests.watch(http)
  deps.tracing?.watch(http)
  const largeBodies = new LargeBodies(requests)
  const rules = originRulesOf(config)
  const headers = headersOfAll(history.name, config.tls !== undefined)
  const admit = admission(document.operations, deps)
  if (onAnswer !== undefined) tellAnswers(http, onAnswer)
  // What is told of each request is told by the general way.
  if (!log.isLevelEnabled('debug')) {
    deps.probes.open({ headers, availability, metrics: metrics.requests, onAnswer })
    http.addHook('preClose', async () => deps.probes.close())
  }
  const outbox = new Outbox(headers)
  const reads = new StraightReads(deps)
  const checkBody = bodyCheck(document, validator)
  const writes = new StraightWrites({ ...deps, ...services })
  const queries = new StraightQueries({ ...deps, ...services, reads, writes, checkBody })
  const straight = new StraightWay({
    ...{ ...deps, reads, queries, outbox, history },
    metrics: metrics.requests,
  })
  http.addHook('onRequest', straight.onRequest)
  const { admitted } = straight
  const forwarding =
    storage.isShared && storage.standby === undefined
      ? new Forwarding({ ...deps, metrics })
      : undefined
  if (forwarding !== undefined) addForwarding(http, forwarding)
  addRequestHooks(http, {
    rules,
    admit,
    admitted,
    log,
    availability,
    requests,
    largeBodies,
    headers,
  })
  addBodyParsers(http, largeBodies, forwarding?.keepBody)
  const isServed = ({ path }: Operation) => config.hasDocs || !/^\/(openapi|llms)\./.test(path)
  addErrorHandling(http, document.operations.filter(isServed), deps.sendProblem)
  if (config.hasDocs) addDocumentationPages(http, document)
  if (config.hasConsole) addConsolePages(http)
  const handlers = handlersOf(deps, services, version)
  bindOperations(http, document, validator, forwarding?.over(handlers) ?? handlers, {
    isServed,
    adders: { openSocket: (route) => live.sockets.addRoute(http, route) },
    checkParameters: (parameters) =>
      requireHistory(history, parameters[HISTORY_HEADER], parameters),
  })
  return { live, metrics, moves, backups, relays }
}

/** Whose request it is has to be known before that one is let in. */
function addForwarding(http: FastifyInstance, forwarding: Forwarding): void {
  http.addHook('onRequest', ({ raw }, _reply, done) => {
    const accepted = forwarding.accept(raw)
    if (accepted === undefined) done()
    else accepted.then(() => done(), done)
  })
  http.addHook('onClose', async () => forwarding.close())
}

/** A handler for each operation of the contract. */
function handlersOf(deps: DoorDependencies, services: Services, version: string) {
  const all: RouteDependencies = { ...deps, ...services, version }
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
    ...accessRoutes(all),
    ...observerRoutes(all),
    ...moveRoutes(all),
    ...backupRoutes(all),
    ...replicationRoutes(all),
    ...changeRoutes(all),
    ...metricsRoutes(all),
    ...serverRoutes(all),
    ...standbyRoutes(all),
  }
}

function tellAnswers(http: FastifyInstance, onAnswer: AnswerListener): void {
  http.addHook('onSend', async (request, reply, payload) => {
    // One that another server has made was told there.
    if (request.method === 'HEAD' || payload instanceof Readable) return
    onAnswer(request.routeOptions.config.operationId ?? '', {
      status: reply.statusCode,
      contentType: reply.getHeader('content-type')?.toString(),
      body: String(payload ?? ''),
    })
  })
}

function originRulesOf({ allowedHosts, allowedOrigins, host }: Config): OriginRules {
  return { allowedHosts, allowedOrigins, loopbackOnly: isLoopbackName(host) }
}
