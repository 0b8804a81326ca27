// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http'
import { Counter, Histogram, type Registry } from '@prometheus-io/client'
import type { FastifyInstance } from 'fastify'
import { WholeRequest } from '../http/bodies/whole-request.ts'
import { type Bucket, quantileOf } from '../statistics/quantile.ts'

/** Of a path that is no operation's. */
const NO_OPERATION = 'none'

/** In seconds, from a GET by its key to the longest statement. */
const BUCKETS = [
  ...[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05],
  ...[0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
]

export type StepOfRequests = {
  readonly count: number
  /** From head to answer; NaN where there was none. */
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Counts requests by operation and status, and tells how long they took. */
export class RequestMetrics {
  readonly #counter: Counter<'operation' | 'code'>
  readonly #duration: Histogram<'operation'>
  #counted = 0
  #buckets: readonly Bucket[] = []

  constructor(registry: Registry) {
    const registers = [registry]
    this.#counter = new Counter({
      name: 'percolite_http_requests_total',
      help: 'HTTP requests that were answered, by operation of openapi.yaml and status code.',
      labelNames: ['operation', 'code'],
      registers,
    })
    this.#duration = new Histogram({
      name: 'percolite_http_request_duration_seconds',
      help: 'From the head of a request to the beginning of its answer, by operation.',
      labelNames: ['operation'],
      buckets: BUCKETS,
      registers,
    })
  }

  watch(fastify: FastifyInstance): void {
    // Not when the answer is out: to hear of that, Fastify would listen to each response, also to those that
    // it does not write. By callback: a promise for each request would cost more than to count it.
    fastify.addHook('onSend', ({ raw, routeOptions }, { statusCode }, payload, done) => {
      this.answered(routeOptions.config?.operationId ?? NO_OPERATION, statusCode, raw)
      done(null, payload)
    })
  }

  /** Counts an answer; to be called for one that Fastify does not send. */
  answered(operation: string, status: number, request: IncomingMessage): void {
    this.#counter.inc({ operation, code: status })
    if (!(request instanceof WholeRequest)) return
    this.#duration.observe({ operation }, (performance.now() - request.arrivedMs) / 1000)
  }

  /** What there was since this was asked last, of all operations together. */
  async sinceLastStep(): Promise<StepOfRequests> {
    let counted = 0
    for (const { value } of (await this.#counter.get()).values) counted += value
    const before = this.#buckets
    this.#buckets = await this.#bucketsNow()
    const buckets = this.#buckets.map(({ bound, count }, index) => {
      return { bound, count: count - (before[index]?.count ?? 0) }
    })
    const count = counted - this.#counted
    this.#counted = counted
    const msOf = (share: number) => quantileOf(buckets, share) * 1000
    return { count, p50Ms: msOf(0.5), p99Ms: msOf(0.99) }
  }

  async #bucketsNow(): Promise<Bucket[]> {
    const counts = new Map([...BUCKETS, Number.POSITIVE_INFINITY].map((bound) => [bound, 0]))
    for (const sample of (await this.#duration.get()).values) {
      const labels: Readonly<Record<string, string | number>> = sample.labels
      // Sums and counts have no bound.
      if (labels.le === undefined) continue
      const bound = labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le)
      counts.set(bound, (counts.get(bound) ?? 0) + sample.value)
    }
    return [...counts].map(([bound, count]) => ({ bound, count }))
  }
}
