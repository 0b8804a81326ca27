// SPDX-License-Identifier: Apache-2.0

import type { StorageStatus } from '../../../../storage/operations/operations.ts'
import { timeText } from '../../../../storage/storage.ts'
import { SERVER_RIGHTS } from '../../../../storage/tables/tables.ts'
import { ALL_LIMITS } from '../../../limits.ts'
import { standingLockOf } from '../../../live/cells/row-cells.ts'
import { consistencyAnswer } from '../../../operations/checks/consistency-answer.ts'
import { feedLagMs } from '../../../operations/metrics/feed-lag.ts'
import { LastAnswer } from '../../../operations/metrics/last-answer.ts'
import { catalogAt } from '../../../snapshot.ts'
import type { RouteDependencies } from '../dependencies.ts'
import { listedWork } from '../listed-work.ts'
import type { Handlers } from '../openapi/binding.ts'
import { storeAnsweredAt } from '../probes.ts'
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
}: RouteDependencies): Handlers {
  const startedAtMs = clock.monotonicMs()
  const lagMs = new LastAnswer(storage, () => feedLagMs(storage))
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
        retentionMs: config.retentionMs,
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
