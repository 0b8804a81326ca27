// SPDX-License-Identifier: Apache-2.0
import type { Profile } from '../population/profiles.ts'

export const DISCLAIMER =
  'A TPC-E-style workload: no TPC benchmark result, not audited, and not comparable with any published TPC-E result.'

/** By what these runs differ from the workload that they follow; every report carries the list. */
export function deviationLines(
  profile: Profile,
  { seed }: { readonly seed: bigint },
): readonly string[] {
  return [
    'Deviations from the workload that this one follows:',
    `- data: a generator and names of our own; fixed seed ${seed}`,
    `- scale: ${profile.customers} customers (5,000 at least), ${profile.days} days of history (300), ${profile.marketDays} days of prices (1,305), news of ${profile.newsBytes} bytes (100,000)`,
    `- price period: ${profile.pricePeriodMs / 1000} s (900 s)`,
    `- pace: ${profile.scaleFactor} customers for a trade result per second where paced; as fast as the users can where not`,
    '- Data-Maintenance, once a minute: left out',
    '- HOLDING: its key is account, security, time, trade',
    '- columns: those that no transaction reads are one text of the same length',
    '- foreign keys: none',
    '- isolation: snapshot isolation; Trade-Result, which is to be serializable, is so by what it writes',
    '- response times: measured, but no condition',
    '- length: a fraction of two hours',
    '- market: emulated in the driver, on the same machine',
    '- Trade-Cleanup: in transactions of at most 500 rows',
    '- audit, price, 60 days of space, tests of redundancy: none',
  ]
}
