// SPDX-License-Identifier: Apache-2.0
import { Gauge, type Registry } from '@prometheus-io/client'
import type { SharedBound } from '../budgets/shared-bound.ts'
import { snakeCase } from './metric-name.ts'

/** Of each bound that all clients share, what they hold together, and how much there is. */
export function addShareMetrics(registry: Registry, bounds: readonly SharedBound[]): void {
  for (const bound of bounds) {
    const { limit, max, what } = bound
    const name = snakeCase(limit.replace(/Max$/, ''))
    new Gauge({
      name: `percolite_shared_${name}`,
      help: `${what}, of all clients together; see ${limit}.`,
      registers: [registry],
      collect() {
        this.set(bound.held)
      },
    })
    new Gauge({
      name: `percolite_shared_max_${name}`,
      help: `The bound of percolite_shared_${name}.`,
      registers: [registry],
    }).set(max)
  }
}
