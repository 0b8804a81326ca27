// SPDX-License-Identifier: Apache-2.0
import type { Profile } from '../population/profiles.ts'
import type { BrokerMode } from '../run-facts.ts'

/** By what these runs differ from the workload that they follow; every report carries the list. */
export type Deviation = { readonly what: string; readonly here: string }

export const DISCLAIMER =
  'A TPC-E-style workload: no TPC benchmark result, not audited, and not comparable with any published TPC-E result.'

export function deviationsOf(
  profile: Profile,
  run: { readonly brokerModes: readonly BrokerMode[]; readonly seed: bigint },
): readonly Deviation[] {
  return [
    { what: 'data', here: `a generator and names of our own; fixed seed ${run.seed}` },
    {
      what: 'scale',
      here: `${profile.customers} customers (5,000 at least), ${profile.days} days of history (300), ${profile.marketDays} days of prices (1,305), news of ${profile.newsBytes} bytes (100,000)`,
    },
    { what: 'price period', here: `${profile.pricePeriodMs / 1000} s (900 s)` },
    {
      what: 'pace',
      here: `${profile.scaleFactor} customers for a trade result per second where paced; as fast as the users can where not`,
    },
    {
      what: 'broker totals',
      here: run.brokerModes.map((mode) => `${mode}: ${BROKER_MODES[mode]}`).join('; '),
    },
    { what: 'HOLDING', here: 'its key is account, security, time, trade' },
    { what: 'columns', here: 'those that no transaction reads are one text of the same length' },
    { what: 'foreign keys', here: 'none' },
    {
      what: 'isolation',
      here: 'snapshot isolation; Trade-Result, which is to be serializable, is so in pg-native only, and elsewhere by what it writes',
    },
    { what: 'response times', here: 'measured, but no condition' },
    { what: 'length', here: 'a fraction of two hours' },
    { what: 'market', here: 'emulated in the driver, on the same machine' },
    { what: 'Trade-Cleanup', here: 'in transactions of at most 500 rows' },
    { what: 'audit, price, 60 days of space, tests of redundancy', here: 'none' },
  ]
}

/** For the text of a report. */
export function deviationLines(...run: Parameters<typeof deviationsOf>): readonly string[] {
  return [
    'Deviations from the workload that this one follows:',
    ...deviationsOf(...run).map(({ what, here }) => `- ${what}: ${here}`),
  ]
}

const BROKER_MODES: Readonly<Record<BrokerMode, string>> = {
  omit: 'left out, as the Percolator paper did',
  inline: 'updated by each Trade-Result',
  observer:
    'kept in a side table and folded, as the Percolator paper proposes: by a weak observer where the engine has observers, once in a second elsewhere',
}
