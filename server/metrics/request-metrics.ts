// SPDX-License-Identifier: Apache-2.0
import { Counter, type Registry } from '@prometheus-io/client'
import type { FastifyInstance } from 'fastify'

/** Of a path that is no operation's. */
const NO_OPERATION = 'none'

/** Counts requests by operation and status, as cheaply as can be: it happens for each of them. */
export class RequestMetrics {
  readonly #counter: Counter<'operation' | 'status'>
  readonly #counts = new Map<string, Map<number, number>>()

  constructor(registry: Registry) {
    this.#counter = new Counter({
      name: 'percolite_requests_total',
      help: 'HTTP requests that were answered, by operation of openapi.yaml and status.',
      labelNames: ['operation', 'status'],
      registers: [registry],
    })
  }

  watch(fastify: FastifyInstance): void {
    // Not when the answer is out: to hear of that, Fastify would listen to each response, also to those that
    // it does not write. By callback: a promise for each request would cost more than to count it.
    fastify.addHook('onSend', ({ routeOptions }, { statusCode }, payload, done) => {
      this.answered(routeOptions.config?.operationId ?? NO_OPERATION, statusCode)
      done(null, payload)
    })
  }

  /** Counts an answer; to be called for one that Fastify does not send. */
  answered(operation: string, status: number): void {
    const statuses = this.#counts.get(operation)
    if (statuses === undefined) this.#counts.set(operation, new Map([[status, 1]]))
    else statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }

  collect(): void {
    this.#counter.reset()
    for (const [operation, statuses] of this.#counts) {
      for (const [status, count] of statuses) this.#counter.inc({ operation, status }, count)
    }
  }
}
