// SPDX-License-Identifier: Apache-2.0

import { numberOf } from '../harness/command-line.ts'
import type { Experiment, Suite } from '../harness/experiment.ts'
import { type RequestName, requestLoad, sharedPercolite } from '../http/http-contenders.ts'
import { DATA_NOTE, ROWS_OPTION } from '../load/data.ts'
import { loadedContender } from '../load/loaded-contender.ts'
import { PERCOLITE_OPTIONS, THIS_TREE } from '../servers/percolite-server.ts'

const CLIENTS = 16
const THIS = 'this checkout'
const OTHER = 'the other'

const REQUESTS: Readonly<Record<string, RequestName>> = {
  GET: 'get',
  rows: 'row',
  SET: 'set',
  SCAN: 'shortScan',
  transfer: 'transfer',
}

/** What a request costs the server, compared with that of another checkout. */
export const pairsSuite: Suite = {
  title: 'Processor time of a request: this checkout beside another one',
  defaults: { seconds: 1, repetitions: 20 },
  options: {
    against: {
      default: THIS_TREE,
      help: 'the other checkout, with its packages installed; itself shows the noise',
    },
    'at-most': { default: '', help: 'the highest ratio; a higher one ends with exit code 1' },
    rows: ROWS_OPTION,
    ...PERCOLITE_OPTIONS,
  },
  experiments: (options) => Object.keys(REQUESTS).map((name) => pairs(name, options)),
  notes: [
    DATA_NOTE,
    'A server of each checkout answers in turn, and each repetition is a pair. Both run on the Node.js of this one, each with the flags of its own `npm start`. SCAN is of 20 rows, `rows` is the path of a row, a transfer is two SETs in one request.',
  ],
}

function pairs(name: string, options: Readonly<Record<string, string>>): Experiment {
  const bound = options['at-most'] || undefined
  const must = bound === undefined ? undefined : numberOf('at-most', bound, 0)
  const request = REQUESTS[name] as RequestName
  const contender = (of: string, tree = THIS_TREE) =>
    loadedContender({
      name: of,
      server: sharedPercolite({ ...options, tree }),
      load: requestLoad(request, options),
      clients: CLIENTS,
    })
  return {
    name,
    title: `${name}, ${CLIENTS} clients`,
    unit: 'requests',
    // Each is a server of its own, which V8 has to compile.
    warmUpSeconds: 3,
    contenders: [contender(THIS, options.tree), contender(OTHER, options.against)],
    goals: [
      {
        what: `${name}: processor time, ${THIS} / ${OTHER}`,
        ...{ of: THIS, to: OTHER, figure: 'cpuMicrosPerOperation', smallerIsBetter: true },
        ...(must === undefined ? {} : { must, aim: must, isRequired: true }),
      },
    ],
    plots: [],
  }
}
