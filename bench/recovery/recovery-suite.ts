// SPDX-License-Identifier: Apache-2.0

import { wholeNumber } from '../harness/command-line.ts'
import type { Suite } from '../harness/experiment.ts'
import { FIGURE_10_SIZES, figure10 } from './figure-10.ts'

const { alone } = FIGURE_10_SIZES
const ACCOUNTS_MIN = 10
const ACCOUNTS_MAX = 10_000
const CLIENTS_MAX = 1_000
const GATEWAYS_MAX = 16

/** Throughput over time, with processes that are killed. */
export const recoverySuite: Suite = {
  title: 'Throughput over time while processes are killed; Figure 10 of the paper',
  defaults: { seconds: 60, repetitions: 3 },
  options: {
    accounts: { default: String(alone.accounts), help: 'accounts that money is moved between' },
    clients: { default: String(alone.clients), help: 'clients that transfer, in a closed loop' },
    gateways: { default: String(alone.gateways), help: 'server processes over one etcd' },
  },
  experiments(options) {
    const accounts = wholeNumber('accounts', options.accounts ?? '', ACCOUNTS_MAX, ACCOUNTS_MIN)
    const clients = wholeNumber('clients', options.clients ?? '', CLIENTS_MAX)
    const gateways = wholeNumber('gateways', options.gateways ?? '', GATEWAYS_MAX, 2)
    return figure10({ ...alone, accounts, clients, gateways })
  },
  notes: [
    'A transfer is one request: two accounts, and a row that says so. One client sums all accounts twice a second. A wrong sum, or a transfer that was acknowledged and is not there at the end, is a failure of the run.',
  ],
}
