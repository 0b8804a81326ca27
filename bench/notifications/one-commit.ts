// SPDX-License-Identifier: Apache-2.0
import { bars, type Contender, type Experiment } from '../harness/experiment.ts'
import { RacingRuns } from './racing-runs.ts'

const COUNTS = { racers: 4, rows: 16 }

const WAYS = [
  { name: 'one-phase commit', commit: 'one-phase' },
  { name: 'two-phase commit as in the paper', commit: 'two-phase' },
] as const

/** At most one run of an observer commits for a change, however many of them run at once (paper 2.4). */
export function oneCommit(): Experiment {
  return {
    name: 'one-commit',
    title: `Each change is run by ${COUNTS.racers} transactions at once`,
    unit: 'changes',
    contenders: WAYS.map(
      ({ name, commit }): Contender => ({
        name,
        open: (surroundings) => RacingRuns.open(commit, COUNTS, surroundings),
      }),
    ),
    goals: WAYS.map(({ name }) => ({
      what: `runs committed, ${name}`,
      of: name,
      figure: 'figures.runsCommittedPerChange',
      unit: 'for each change',
      paper: 1,
    })),
    plots: [
      bars(
        'one-commit',
        'Runs that committed, for each change',
        'runs for each change',
        'figures.runsCommittedPerChange',
      ),
    ],
    notes: [
      'Of each change, all runs begin before the first one commits, as if there was no advisory lock on the row. Each writes a row of its own, so they meet on nothing but the acknowledgment. `runsBegun`, `runsCommitted` and `rowsDerived` are of one sample; if `runsCommitted` or `rowsDerived` is not `changes`, the run of the benchmark fails.',
    ],
  }
}
