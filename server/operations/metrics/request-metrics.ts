// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http'
import { Counter, type Registry } from '@prometheus-io/client'
import type { FastifyInstance } from 'fastify'
import {
  type Bucket,
  type DurationHistogram,
  quantileOf,
} from '../statistics/duration-histogram.ts'
import { DurationMetric } from './duration-metric.ts'

/** When its head was there; undefined of a request that no socket brought. */
type TimedRequest = IncomingMessage & { readonly arrivedMs?: number }

/** Of a path that is no operation's. */
const NO_OPERATION = 'none'

/** From a GET by its key to the longest statement. */
const BOUNDS_MS = [
  ...[0.5, 1, 2.5, 5, 10, 25, 50],
  ...[100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000],
]

export type StepOfRequests = {
  readonly count: number
  /** From head to answer; NaN where there was none. */
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Counts requests by operation and status, and tells how long they took. */
export class RequestMetrics {
  readonly #byOperation = new Map<string, Answered>()
  readonly #durations = new DurationMetric({
    name: 'percolite_http_request_duration_seconds',
    help: 'From the head of a request to the beginning of its answer, by operation.',
    label: 'operation',
    boundsMs: BOUNDS_MS,
  })
  #counted = 0
  /** What there was when the last step ended. */
  #before: { readonly counted: number; readonly buckets: readonly Bucket[] }

  constructor(registry: Registry) {
    const byOperation = this.#byOperation
    new Counter({
      name: 'percolite_http_requests_total',
      help: 'HTTP requests that were answered, by operation of openapi.yaml and status code.',
      labelNames: ['operation', 'code'],
      registers: [registry],
      collect() {
        this.reset()
        for (const [operation, { counts }] of byOperation) {
          for (const [code, count] of counts) this.inc({ operation, code }, count)
        }
      },
    })
    this.#durations.register(registry)
    this.#before = { counted: 0, buckets: this.#durations.buckets }
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
  answered(operation: string, status: number, { arrivedMs }: TimedRequest): void {
    const { counts, durations } = this.#byOperation.get(operation) ?? this.#added(operation)
    counts.set(status, (counts.get(status) ?? 0) + 1)
    this.#counted += 1
    if (arrivedMs !== undefined) durations.add(performance.now() - arrivedMs)
  }

  /** What there was since this was asked last, of all operations together. */
  sinceLastStep(): StepOfRequests {
    const before = this.#before
    this.#before = { counted: this.#counted, buckets: this.#durations.buckets }
    const buckets = this.#before.buckets.map(({ bound, count }, at) => {
      return { bound, count: count - (before.buckets[at]?.count ?? 0) }
    })
    return {
      count: this.#counted - before.counted,
      p50Ms: quantileOf(buckets, 0.5),
      p99Ms: quantileOf(buckets, 0.99),
    }
  }

  #added(operation: string): Answered {
    const added = { counts: new Map(), durations: this.#durations.of(operation) }
    this.#byOperation.set(operation, added)
    return added
  }
}

/** The answers of one operation: how many there were of each status, and how long they took. */
type Answered = {
  readonly counts: Map<number, number>
  readonly durations: DurationHistogram
}
