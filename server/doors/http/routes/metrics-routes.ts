// SPDX-License-Identifier: Apache-2.0

import { ServerError } from '../../../errors/server-error.ts'
import { conflictListOf } from '../../../operations/conflicts/conflict-answers.ts'
import {
  type StatisticsOrder,
  statisticsAnswer,
} from '../../../operations/statistics/statistics-answer.ts'
import { catalogAt } from '../../../snapshot.ts'
import type { RouteDependencies } from '../dependencies.ts'
import type { Handlers } from '../openapi/binding.ts'

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
