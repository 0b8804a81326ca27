// SPDX-License-Identifier: Apache-2.0
import { Counter, type Registry } from '@prometheus-io/client'

/** What became of a request that was handed on: its gateway answered, was not reached, or did not answer. */
export type ForwardOutcome = 'answered' | 'not_sent' | 'lost'

const OUTCOMES: readonly ForwardOutcome[] = ['answered', 'not_sent', 'lost']

/** Counts the requests that were handed on to the gateways of their transactions. */
export class ForwardingMetrics {
  readonly #counter: Counter<'outcome'>

  constructor(registry: Registry) {
    this.#counter = new Counter({
      name: 'percolite_forwarded_requests_total',
      help: 'Requests handed on to the gateway of their transaction, by what became of them.',
      labelNames: ['outcome'],
      registers: [registry],
    })
    for (const outcome of OUTCOMES) this.#counter.inc({ outcome }, 0)
  }

  count(outcome: ForwardOutcome): void {
    this.#counter.inc({ outcome })
  }
}
