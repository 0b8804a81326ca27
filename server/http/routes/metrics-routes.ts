// SPDX-License-Identifier: Apache-2.0
import type { Metrics } from '../../metrics/metrics.ts'
import type { Handlers } from '../openapi/binding.ts'

export function metricsRoutes({ metrics }: { readonly metrics: Metrics }): Handlers {
  return {
    async getMetrics({ reply }) {
      reply.header('content-type', metrics.contentType)
      return await metrics.text()
    },
  }
}
