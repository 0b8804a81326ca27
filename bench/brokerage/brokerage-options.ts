// SPDX-License-Identifier: Apache-2.0

import { listOf, oneOf, wholeNumber } from '../harness/command-line.ts'
import { UsageError } from '../harness/experiment.ts'
import { ENGINE_NAMES, type EngineName } from './engines/engine-kinds.ts'
import type { Profile } from './population/profiles.ts'

const PATHS = ['http', 'ws'] as const
const MODES = ['saturate', 'paced'] as const
const FIGURES = ['', '9'] as const
const USERS_MAX = 1_000
const LOAD_UNITS_MAX = 99

/** What the flags of the suite say. */
export type BrokerageOptions = {
  readonly profile: string
  /** Percolite, as it is reached. */
  readonly product: EngineName
  readonly peers: readonly EngineName[]
  readonly isPaced: boolean
  readonly users: number
  readonly seed: bigint
  readonly kills: boolean
  readonly moves: boolean
  /** Of the paper, to be drawn instead of a comparison. */
  readonly figure: (typeof FIGURES)[number]
  /** Load units of each point of Figure 9. */
  readonly sizes: readonly number[]
  /** For the server. */
  readonly percolite: Readonly<Record<string, string>>
}

/** Throws UsageError. */
export function readOptions(options: Readonly<Record<string, string>>): BrokerageOptions {
  const { profile = '', against = '', sizes = '' } = options
  const product: EngineName = `percolite-${oneOf('path', options.path ?? '', PATHS)}`
  const figure = oneOf('figure', options.figure ?? '', FIGURES)
  const peers = peersOf(against, profile, figure)
  return {
    ...{ profile, product, figure },
    peers: [...new Set(peers)].filter((name) => name !== product),
    isPaced: oneOf('mode', options.mode ?? '', MODES) === 'paced',
    users: wholeNumber('users', options.users ?? '', USERS_MAX),
    seed: seedOf(options.seed ?? ''),
    kills: options.kill === 'yes',
    moves: options.move === 'yes',
    sizes: listOf(sizes, (size) => wholeNumber('sizes', size, LOAD_UNITS_MAX)),
    percolite: options,
  }
}

function peersOf(against: string, profile: string, figure: string): readonly EngineName[] {
  if (against === 'none') return []
  if (against !== 'auto') return listOf(against, (word) => oneOf('against', word, ENGINE_NAMES))
  if (figure === '9') return []
  return profile === 'tiny' ? ['null'] : ['postgres', 'sqlite']
}

function seedOf(text: string): bigint {
  if (/^\d{1,18}$/.test(text)) return BigInt(text)
  throw new UsageError(`--seed ${text}: it is a whole number of up to 18 digits.`)
}

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
