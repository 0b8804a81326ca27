// SPDX-License-Identifier: Apache-2.0

import { overGateways, perCore } from '../brokerage/brokerage-experiment.ts'
import { readOptions } from '../brokerage/brokerage-options.ts'
import { brokerageSuite } from '../brokerage/brokerage-suite.ts'
import { briefFigure9, figure9 } from '../brokerage/figure-9.ts'
import type { Experiment } from '../harness/experiment.ts'

const BRIEF_PACES = [5, 10, 20]

/** Trade results over cores, over gateways, and for each core compared with other databases. */
export function figure9OfPaper(
  size: 'hour' | 'quick',
  percolite: Readonly<Record<string, string>>,
): readonly Experiment[] {
  const defaults = Object.fromEntries(
    Object.entries(brokerageSuite.options ?? {}).map(([name, option]) => [name, option.default]),
  )
  const of = (own: Readonly<Record<string, string>>) =>
    readOptions({ ...defaults, ...percolite, ...own })
  const paced = of({ figure: '9' })
  const lasting = (experiment: Experiment, seconds: number): Experiment => {
    return { ...experiment, seconds, repetitions: 1 }
  }
  if (size === 'quick') {
    return [
      lasting(briefFigure9(BRIEF_PACES, paced), 6),
      lasting(perCore(of({ profile: 'tiny' })), 5),
    ]
  }
  return [
    lasting(figure9(paced), 40),
    lasting(perCore(of({ profile: 'small' })), 20),
    lasting(overGateways(of({ profile: 'tiny' })), 20),
  ]
}
