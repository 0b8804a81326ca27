// SPDX-License-Identifier: Apache-2.0
import type { Experiment, Suite } from '../harness/experiment.ts'
import { DATA_NOTE, ROWS_OPTION } from '../load/data.ts'
import { loadGeneratorNote } from '../load/load-process.ts'
import { PERCOLITE_OPTIONS } from '../servers/percolite-server.ts'
import { accessCost } from './access-cost.ts'
import { eventLoop, openLoopLatency } from './responsiveness.ts'
import { batching, clientScaling, transfers } from './throughput.ts'

/** What HTTP costs and how long it makes one wait; the ceiling is Fastify answering a constant. */
export const httpSuite: Suite = {
  title: 'Percolite over HTTP',
  defaults: { seconds: 2, repetitions: 5 },
  options: { rows: ROWS_OPTION, ...PERCOLITE_OPTIONS },
  experiments: (options): readonly Experiment[] => [
    clientScaling('get', options),
    clientScaling('set', options),
    accessCost(options),
    batching(options),
    transfers(options),
    openLoopLatency(options),
    eventLoop(options),
  ],
  get notes() {
    return [
      DATA_NOTE,
      'The server, Fastify’s hello and the load generator (connections kept open, one request at a time on each) are processes of their own that share the cores of one machine.',
      loadGeneratorNote(),
      'The hello server parses the same request and answers a real answer of the product as a constant; it has the same Fastify, the same reader of bodies and the same writer of answers.',
      'The hello with a raw durable put answers when the value of the SET is on disk, put into the product’s own store by the same group commit, as a cell without SQL, transaction or log. So what SET lacks of it is what the product adds, and what it lacks of hello is what durability costs any server on this store.',
    ]
  },
}
