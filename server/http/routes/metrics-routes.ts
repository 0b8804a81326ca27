// SPDX-License-Identifier: Apache-2.0
import type { Storage } from '../../../storage/storage.ts'
import { conflictListOf } from '../../conflicts/conflict-answers.ts'
import type { ConflictLog } from '../../conflicts/conflict-log.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import { catalogAt } from '../../statements/snapshot.ts'
import type { Handlers } from '../openapi/binding.ts'

/** What is counted and remembered of what the server does. */
export function metricsRoutes({
  metrics,
  storage,
  conflicts,
}: {
  readonly metrics: Metrics
  readonly storage: Storage
  readonly conflicts: ConflictLog
}): Handlers {
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
      const asked = {
        limit: Number(limit),
        table: table === undefined ? undefined : String(table),
      }
      return conflictListOf(conflicts, await catalogAt(storage), asked)
    },
  }
}
