// SPDX-License-Identifier: Apache-2.0
import type { Parser } from '../../../../parser/parser.ts'
import type { StorageStatus } from '../../../../storage/operations/operations.ts'
import { timeText } from '../../../../storage/storage.ts'
import { SERVER_RIGHTS } from '../../../../storage/tables/tables.ts'
import { ServerError } from '../../../errors/server-error.ts'
import { ALL_LIMITS } from '../../../limits.ts'
import { standingLockOf } from '../../../live/cells/row-cells.ts'
import { consistencyAnswer } from '../../../operations/checks/consistency-answer.ts'
import { conflictListOf } from '../../../operations/conflicts/conflict-answers.ts'
import { feedLagMs, LastAnswer } from '../../../operations/metrics/last-answer.ts'
import type { ShapeFigures } from '../../../operations/statistics/shape-figures.ts'
import type { StatementStatistics } from '../../../operations/statistics/statement-statistics.ts'
import {
  type RunningRequest,
  statementCancelled,
} from '../../../requests/prepared/running-request.ts'
import { catalogAt } from '../../../snapshot.ts'
import type { RouteDependencies } from '../dependencies.ts'
import { askerOf, listedWork } from '../listed-work.ts'
import type { Handlers } from '../openapi/binding.ts'
import { storeAnsweredAt } from '../probes.ts'
import { shownCopy } from './replication-routes.ts'
import { SharedCheck } from './shared-check.ts'

const GATEWAYS_MAX = 10_000

export function operationRoutes({
  storage,
  sessions,
  clock,
  config,
  version,
  requests,
  audit,
  access,
  live,
  commits,
  following,
}: RouteDependencies): Handlers {
  const startedAtMs = clock.monotonicMs()
  const lagMs = new LastAnswer(storage, () => feedLagMs(storage))
  const retention = new LastAnswer(storage, () => storage.retention.read())
  const living = new LastAnswer(storage, () => storage.gateways.living(GATEWAYS_MAX))
  const check = new SharedCheck((signal) => storage.checkConsistency({ signal }))
  return {
    async getLimits() {
      return { limits: ALL_LIMITS }
    },

    async getPrincipal({ raw }) {
      const principal = access.of(raw.raw)
      const told = principal && {
        id: principal.id,
        role: principal.role,
        expires: principal.expires,
      }
      const rights = SERVER_RIGHTS.filter((right) => access.may(principal, right))
      return { tokenRequired: access.isRequired, ...told, rights }
    },

    async getStatus() {
      const feedLag = await lagMs.get()
      const { timestamp, safePoint, oldestSnapshot, bufferedBytes, indexBuilds, ...rest } =
        storage.status()
      const { commit, lastCollection, disk, pageCheck, memtables, clock: clockStatus } = rest
      const gap = storage.history.gaps.at(-1)
      return {
        version,
        engine: config.engine,
        commit,
        uptimeSeconds: Math.round(clock.monotonicMs() - startedAtMs) / 1000,
        history: storage.history.name,
        historyFrom: storage.history.from,
        ...(gap === undefined ? {} : { restored: gap }),
        retentionMs: (await retention.get())?.retentionMs ?? config.retentionMs,
        garbageIntervalMs: config.garbageIntervalMs,
        ...(config.stepDelayMs === undefined ? {} : { stepDelayMs: config.stepDelayMs }),
        timestamp,
        safePoint,
        oldestSnapshot,
        ...(feedLag === undefined ? {} : { feedLagMs: feedLag }),
        ...storeAnsweredAt(storage),
        openTransactions: sessions.count,
        sockets: live.sockets.count,
        subscriptions: live.subscriptions.count,
        conflicts: commits.log.total,
        statementStatistics: config.countsStatements,
        bufferedBytes,
        indexBuilds,
        ...(lastCollection === undefined ? {} : { lastCollection }),
        clock: {
          offsetSeconds: clockStatus.offsetMicros / 1_000_000,
          timestampsAheadSeconds: clockStatus.aheadMicros / 1_000_000,
        },
        ...(disk === undefined ? {} : { disk }),
        ...(pageCheck === undefined ? {} : { pageCheck: shownCheck(pageCheck) }),
        ...(memtables === undefined ? {} : { redoLog: { policy: config.redoLog, ...memtables } }),
        ...(following && { standby: following.state.view() }),
        ...(storage.primary?.position && { secondCopy: shownCopy(storage.primary) }),
        warnings: storage.health.warnings,
      }
    },

    async checkStore({ reply }) {
      return listedWork(requests, reply, async (running) => {
        audit.inspected(running)
        return consistencyAnswer(await check.report(running.signal))
      })
    },

    async listGateways({ parameters }) {
      const known = (await living.get()) ?? (await storage.gateways.living(GATEWAYS_MAX))
      return { gateways: known.slice(0, Number(parameters.limit ?? 1_000)) }
    },

    async listLocks({ parameters }) {
      const { locks, isComplete } = await storage.inspection.locks(Number(parameters.limit ?? 100))
      const catalog = await catalogAt(storage)
      return { locks: locks.map((lock) => standingLockOf(catalog, lock)), isComplete }
    },
  }
}

function shownCheck({ began, ended, ...rest }: NonNullable<StorageStatus['pageCheck']>) {
  const end = ended === undefined ? {} : { ended: timeText(ended) }
  return { ...rest, began: timeText(began), ...end }
}

/** Statements of one request whose shapes are shown. */
const SHAPES_MAX = 10

/** What is running now, and how it is ended. */
export function runningRoutes({ requests, parser, audit }: RouteDependencies): Handlers {
  return {
    async listRunning({ parameters }) {
      const running = requests.list()
      const limit = Number(parameters.limit ?? 100)
      const shown = running.slice(0, limit).map((request) => answerOf(request, parser))
      return { running: shown, total: running.length }
    },

    async cancelRunning({ parameters, reply }) {
      const id = String(parameters.id)
      const request = requests.find(id)
      if (request === undefined) throw notRunning(id)
      request.abort(statementCancelled())
      const of = request.principal?.id
      const names = { running: id, ...(of === undefined ? {} : { of }) }
      audit.interrupted(askerOf(requests, reply.request), names)
      reply.code(204)
      return undefined
    },
  }
}

/** `RunningStatement` of `openapi.yaml`. */
function answerOf(request: RunningRequest, parser: Pick<Parser, 'shapeOf'>) {
  const { id, operation, client, state, ageMs } = request
  const texts = request.statements()
  const shapes = texts.slice(0, SHAPES_MAX).map((text) => parser.shapeOf(text))
  if (texts.length > SHAPES_MAX) shapes.push('…')
  const listed = { id, operation, client, state, ageMs: Math.round(ageMs) }
  return shapes.length === 0 ? listed : { ...listed, statement: shapes.join('; ') }
}

function notRunning(id: string): ServerError {
  return new ServerError('unknown_statement', 'Nothing with this id is running, or not any more.', {
    id: id.slice(0, 100),
    hint: 'GET /v1/running lists what is',
  })
}

/** What is counted and remembered of what the server does. */
export function metricsRoutes({
  metrics,
  storage,
  commits,
  statistics,
}: RouteDependencies): Handlers {
  return {
    async getMetrics({ reply }) {
      reply.header('content-type', metrics.contentType)
      return await metrics.text()
    },

    async getActivity({ parameters }) {
      const { since } = parameters
      return metrics.activity.answer(since === undefined ? undefined : Number(since))
    },

    async listConflicts({ parameters }) {
      const { limit = 100, table } = parameters
      const request = {
        limit: Number(limit),
        table: table === undefined ? undefined : String(table),
      }
      return conflictListOf(commits.log, await catalogAt(storage), request)
    },

    async listStatements({ parameters }) {
      if (statistics === undefined) throw notCounted()
      const { limit = 50, order = 'time' } = parameters
      return statisticsAnswer(statistics, {
        limit: Number(limit),
        order: order as StatisticsOrder,
      })
    },

    async clearStatements({ reply }) {
      if (statistics === undefined) throw notCounted()
      statistics.clear()
      reply.code(204)
      return undefined
    },
  }
}

function notCounted(): ServerError {
  return new ServerError(
    'not_enabled',
    'Statements are not counted: the server was started with --statement-statistics off.',
    { flag: '--statement-statistics' },
  )
}

/** By which of its figures a shape comes first. */
const ORDERS = {
  time: ({ durations }: ShapeFigures) => durations.totalMs,
  count: ({ durations }: ShapeFigures) => durations.count,
  slowest: ({ durations }: ShapeFigures) => durations.maxMs,
  rows: ({ rowsReturned, rowsWritten }: ShapeFigures) => rowsReturned + rowsWritten,
} as const

type StatisticsOrder = keyof typeof ORDERS

/** `StatementStatistics` of `openapi.yaml`. */
function statisticsAnswer(
  statistics: Pick<StatementStatistics, 'shapes' | 'since' | 'forgotten'>,
  { order, limit }: { readonly order: StatisticsOrder; readonly limit: number },
) {
  const { shapes, since, forgotten } = statistics
  const by = ORDERS[order]
  // One that is new has none before its first run has ended.
  const ran = shapes.filter(({ durations }) => durations.count > 0)
  const statements = ran.toSorted((one, other) => by(other) - by(one)).slice(0, limit)
  return {
    since: since.toISOString(),
    total: ran.length,
    forgotten,
    statements: statements.map(statementOf),
  }
}

function statementOf({
  shape,
  durations,
  errors,
  rowsReturned,
  rowsWritten,
  access,
}: ShapeFigures) {
  return {
    statement: shape,
    ...access,
    count: durations.count,
    errors,
    totalMs: rounded(durations.totalMs),
    p50Ms: rounded(durations.quantileMs(0.5)),
    p99Ms: rounded(durations.quantileMs(0.99)),
    maxMs: rounded(durations.maxMs),
    rowsReturned,
    rowsWritten,
  }
}

/** To a microsecond. */
function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000
}
