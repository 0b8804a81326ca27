// SPDX-License-Identifier: Apache-2.0
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, type Registry } from '@prometheus-io/client'

/** How often the delay of the event loop is measured. */
const RESOLUTION_MS = 20
/** In percent, by the names that they go by. */
const PERCENTILES = { p50: 50, p90: 90, p99: 99, max: 100 } as const
type Percentile = keyof typeof PERCENTILES

/**
 * The process, under the names that dashboards know. The default metrics of the library would do, if they
 * could be ended: theirs watch the process for as long as it lives, one more with each server.
 */
export class ProcessMetrics {
  readonly #delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  readonly #cpu: Counter
  readonly #memory: Gauge
  readonly #heap: Gauge
  readonly #heapTotal: Gauge
  readonly #external: Gauge
  readonly #lags: ReadonlyArray<readonly [Gauge, Percentile]>

  constructor(registry: Registry) {
    const registers = [registry]
    const gauge = (name: string, help: string) => new Gauge({ name, help, registers })
    this.#cpu = new Counter({
      name: 'process_cpu_seconds_total',
      help: 'Processor time of user and system.',
      registers,
    })
    gauge('process_start_time_seconds', 'When the process began, in seconds since 1970.').set(
      Math.round(performance.timeOrigin / 1000),
    )
    this.#memory = gauge('process_resident_memory_bytes', 'Resident memory.')
    this.#heap = gauge('nodejs_heap_size_used_bytes', 'Memory of objects.')
    this.#heapTotal = gauge('nodejs_heap_size_total_bytes', 'Memory kept for objects.')
    this.#external = gauge('nodejs_external_memory_bytes', 'Memory of buffers.')
    this.#lags = (Object.keys(PERCENTILES) as Percentile[]).map((name) => [
      gauge(
        `nodejs_eventloop_lag_${name}_seconds`,
        'How late the event loop came to its timers since the figures were last asked for.',
      ),
      name,
    ])
    this.#delays.enable()
  }

  collect(): void {
    const { user, system } = process.cpuUsage()
    this.#cpu.reset()
    this.#cpu.inc((user + system) / 1_000_000)
    const { rss, heapUsed, heapTotal, external } = process.memoryUsage()
    this.#memory.set(rss)
    this.#heap.set(heapUsed)
    this.#heapTotal.set(heapTotal)
    this.#external.set(external)
    for (const [gauge, name] of this.#lags) {
      const lagMs = this.#delays.percentile(PERCENTILES[name]) / 1_000_000 - RESOLUTION_MS
      gauge.set(Math.max(0, lagMs) / 1000)
    }
    this.#delays.reset()
  }

  close(): void {
    this.#delays.disable()
  }
}
