// SPDX-License-Identifier: Apache-2.0
import type { Experiment } from '../harness/experiment.ts'
import { brokerageExperiment, NOT_COMPARABLE } from './brokerage-experiment.ts'
import type { BrokerageOptions } from './brokerage-options.ts'
import { Population } from './population/population.ts'
import { type Profile, profileOf } from './population/profiles.ts'

/** Percolator's own runs (Figure 9), and the database that its authors compare it with; TR/s per core. */
const PAPER = [
  { label: 'Percolator, Figure 9: 0.75 (11,200 on 15,000 cores)', slope: 11_200 / 15_000 },
  { label: 'its reference database: 49.7 (3,183 on 64 cores)', slope: 3_183 / 64 },
] as const

/**
 * As far as one machine goes: the population grows and the pace with it, and what is measured is how
 * many cores that takes. In proportion, the points lie on a line through 0.
 */
export function figure9(options: BrokerageOptions): Experiment {
  const points = options.sizes.map((size) => {
    const profile = profileOf(`wide-${size}`)
    return { name: profile.name, profile, pace: profile.customers / profile.scaleFactor }
  })
  return figure9At(
    points,
    options,
    `Figure 9, on one machine: wide-n has n times 1,000 customers, who trade at their nominal pace, ${profileOf('wide-1').scaleFactor} customers for a trade result per second. R² is against the mean: below 0 the points lie on no line through 0.`,
  )
}

/** The same where there is little time: one small population, whose customers trade ever faster. */
export function briefFigure9(paces: readonly number[], options: BrokerageOptions): Experiment {
  const profile = profileOf('tiny')
  return figure9At(
    paces.map((pace) => ({ name: `${pace} TR/s`, profile, pace })),
    options,
    `Figure 9, on one machine and briefly: ${profile.customers} customers trade faster from point to point, where the paper has more customers. R² is against the mean: below 0 the points lie on no line through 0.`,
  )
}

function figure9At(
  points: ReadonlyArray<{
    readonly name: string
    readonly profile: Profile
    readonly pace: number
  }>,
  options: BrokerageOptions,
  note: string,
): Experiment {
  const lines = [options.product, ...options.peers].map((kind) => ({
    kind,
    tradings: points.map(({ name, profile, pace }) => ({
      ...{ name: `${kind}, ${name}`, kind, pace },
      population: new Population(profile, options.seed),
    })),
  }))
  return brokerageExperiment(
    options,
    lines.flatMap(({ tradings }) => tradings),
    {
      name: 'figure-9',
      title: `trade results over cores used, ${points.map(({ name }) => name).join(', ')}`,
      goals: [],
      fits: lines.map(({ kind, tradings }) => ({
        what: `TR/s per core used, ${kind}`,
        contenders: tradings.map(({ name }) => name),
        ...{ x: 'figures.coresUsed', y: 'operationsPerSecond' },
      })),
      plots: [
        {
          ...{
            name: 'figure-9',
            title: NOT_COMPARABLE,
            figure: 'operationsPerSecond',
            kind: 'fits',
          },
          xTitle: 'cores used by all processes of the engine',
          yTitle: 'trade results per second (TR/s)',
          slopes: PAPER,
        },
      ],
      notes: [
        note,
        'The paper: 11,200 TR/s on 15,000 cores, linear from 11 cores on, on many machines, with copies of the data.',
        'Figure 10, the loss of servers, is another benchmark: `npm run bench -- recovery`.',
      ],
    },
  )
}
