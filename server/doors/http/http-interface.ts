// SPDX-License-Identifier: Apache-2.0
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
import { addErrorHandling } from './http-errors.ts'
import { bindOperations, bodyCheck } from './openapi/binding.ts'
import type { Operation } from './openapi/document.ts'
import { isLoopbackName, type OriginRules } from './origin-and-host.ts'
import { addRequestHooks, headersOfAll } from './request-hooks.ts'
import { backupRoutes, moveRoutes } from './routes/backup-routes.ts'
import { cellRoutes } from './routes/cell-routes.ts'
import { changeRoutes } from './routes/change-routes.ts'
import { observerRoutes } from './routes/observer-routes.ts'
import { metricsRoutes, operationRoutes, runningRoutes } from './routes/operation-routes.ts'
import { completionRoutes, queryRoutes, scriptRoutes } from './routes/query-routes.ts'
import { rowRoutes } from './routes/row-routes.ts'
import { serverRoutes } from './routes/server-routes.ts'
import { tableRoutes } from './routes/table-routes.ts'
import { transactionRoutes } from './routes/transaction-routes.ts'

/** Adds everything that can be asked over HTTP. A hook sees the requests of the routes that come after it. */
export function addInterface(
  http: FastifyInstance,
  deps: DoorDependencies,
): Pick<Services, 'live' | 'metrics' | 'moves' | 'backups'> {
  const { config, storage, log, requests, isStopping, onAnswer } = deps
  const { document, validator } = deps.contract
  const version = packageVersion()
  const services = servicesOf(deps, version)
  const { live, metrics, moves, backups } = services
  const history = storage.history
  metrics.requests.watch(http)
  const largeBodies = new LargeBodies(requests)
  const rules = originRulesOf(config)
  const headers = headersOfAll(history.name, config.tls !== undefined)
  const admit = admission(document.operations, deps)
  if (onAnswer !== undefined) tellAnswers(http, onAnswer)
  // What is told of each request is told by the general way.
  if (!log.isLevelEnabled('debug')) {
    deps.probes.open({ headers, isStopping, metrics: metrics.requests, onAnswer })
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
  addRequestHooks(http, { rules, admit, admitted, log, isStopping, requests, largeBodies, headers })
  addBodyParsers(http, largeBodies)
  const isServed = ({ path }: Operation) => config.hasDocs || !path.startsWith('/openapi.')
  addErrorHandling(http, document.operations.filter(isServed), deps.sendProblem)
  if (config.hasDocs) addDocumentationPages(http, document)
  if (config.hasConsole) addConsolePages(http)
  bindOperations(http, document, validator, handlersOf(deps, services, version), {
    isServed,
    adders: { openSocket: (route) => live.sockets.addRoute(http, route) },
    checkParameters: (parameters) =>
      requireHistory(history, parameters[HISTORY_HEADER], parameters),
  })
  return { live, metrics, moves, backups }
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
    ...observerRoutes(all),
    ...moveRoutes(all),
    ...backupRoutes(all),
    ...changeRoutes(all),
    ...metricsRoutes(all),
    ...serverRoutes(all),
  }
}

function tellAnswers(http: FastifyInstance, onAnswer: AnswerListener): void {
  http.addHook('onSend', async (request, reply, payload) => {
    if (request.method === 'HEAD') return
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
