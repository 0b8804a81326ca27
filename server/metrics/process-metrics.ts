// SPDX-License-Identifier: Apache-2.0
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, type Registry } from '@prometheus-io/client'

/** How often the delay of the event loop is measured. */
const RESOLUTION_MS = 20
const QUANTILES = [0.5, 0.9, 0.99, 1]

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
  readonly #delay: Gauge<'quantile'>

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
    this.#delay = new Gauge({
      name: 'nodejs_eventloop_delay_seconds',
      help: 'How late the event loop came to its timers since it was last asked.',
      labelNames: ['quantile'],
      registers,
    })
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
    for (const quantile of QUANTILES) {
      const delayMs = this.#delays.percentile(quantile * 100) / 1_000_000 - RESOLUTION_MS
      this.#delay.set({ quantile }, Math.max(0, delayMs) / 1000)
    }
    this.#delays.reset()
  }

  close(): void {
    this.#delays.disable()
  }
}
