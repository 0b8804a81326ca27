// SPDX-License-Identifier: Apache-2.0
import {
  bars,
  type Contender,
  type Experiment,
  type Plot,
  type Suite,
} from '../harness/experiment.ts'
import type { MeasuredExperiment } from '../harness/run-experiment.ts'
import { type FigureName, figureOf, type Sample } from '../harness/sample.ts'
import { retakesNote, stolenTimeWarning } from '../harness/stolen-time.ts'
import { type FittedLine, fitLine } from './line-fit.ts'
import {
  describeMachine,
  describeSource,
  describeVersions,
  type Machine,
  type SourceState,
} from './machine.ts'
import { type Spread, spreadOf } from './statistics.ts'
import { type JudgedGoal, judge } from './verdict.ts'

/** Everything that a run found out, as it is written to `report.json`. */
export type Report = {
  readonly suite: string
  readonly title: string
  readonly startedAt: string
  readonly endedAt: string
  readonly machine: Machine
  readonly versions: Readonly<Record<string, string>>
  readonly source?: SourceState
  readonly settings: Readonly<Record<string, string | number>>
  readonly notes: readonly string[]
  readonly experiments: readonly ReportedExperiment[]
}

export type ReportedExperiment = Pick<Experiment, 'name' | 'title' | 'unit'> & {
  readonly notes: readonly string[]
  readonly contenders: readonly ReportedContender[]
  readonly goals: readonly JudgedGoal[]
  readonly fits: readonly FittedLine[]
  /** How they are drawn, so that the report alone is enough for that. */
  readonly plots: readonly Plot[]
  /** With all that was prepared for it. */
  readonly tookSeconds?: number
}

/** Why samples do not count, in the words of their contenders, and which bounds of the caller were missed. */
export function failuresOf({ experiments }: Pick<Report, 'experiments'>): readonly string[] {
  return experiments.flatMap(({ contenders, goals }) => [
    ...contenders.flatMap(({ name, samples }) =>
      samples.flatMap(({ findings }) =>
        (findings?.failures ?? []).map((failure) => `${name}: ${failure}`),
      ),
    ),
    ...goals
      .filter(({ isRequired, verdict }) => isRequired === true && verdict === 'below must')
      .map(({ what, must, measured }) => `${what}: ${measured.median.toFixed(2)}, not ${must}`),
  ])
}

export type ReportedContender = {
  readonly name: string
  /** Where it stands in a plot of lines. */
  readonly point?: Contender['point']
  /** By figure, over the repetitions. */
  readonly figures: Readonly<Record<string, Spread>>
  readonly samples: readonly Sample[]
}

/** What is known before the run begins, and would be disturbed by it or by what comes after. */
export type RunFacts = Pick<
  Report,
  'startedAt' | 'machine' | 'versions' | 'source' | 'suite' | 'settings'
>

export async function gatherFacts(
  suite: string,
  settings: Readonly<Record<string, string | number>>,
  dataFolder: string,
): Promise<RunFacts> {
  const source = await describeSource()
  return {
    suite,
    settings,
    startedAt: new Date().toISOString(),
    machine: await describeMachine(dataFolder),
    versions: await describeVersions(),
    ...(source === undefined ? {} : { source }),
  }
}

export function makeReport(
  facts: RunFacts,
  suite: Suite,
  measured: readonly MeasuredExperiment[],
): Report {
  return {
    ...facts,
    title: suite.title,
    endedAt: new Date().toISOString(),
    notes: [...(suite.notes ?? []), ...warningsOf(facts, measured)],
    experiments: measured.map(reportExperiment),
  }
}

export function reportExperiment({
  experiment,
  samples,
  tookSeconds,
}: Pick<MeasuredExperiment, 'experiment' | 'samples'> &
  Partial<Pick<MeasuredExperiment, 'tookSeconds'>>): ReportedExperiment {
  const { name, title, unit, notes = [] } = experiment
  const points = new Map(experiment.contenders.map((one) => [one.name, one.point]))
  return {
    ...{ name, title, unit, notes },
    contenders: [...samples].map(([contender, taken]) => {
      const point = points.get(contender)
      return {
        name: contender,
        ...(point === undefined ? {} : { point }),
        figures: figuresOf(taken),
        samples: taken,
      }
    }),
    plots: experiment.plots ?? [bars(name, title, `${unit} per second`)],
    ...(tookSeconds === undefined ? {} : { tookSeconds }),
    fits: (experiment.fits ?? []).flatMap((fit) => fitLine(fit, samples) ?? []),
    goals: experiment.goals.flatMap((goal) => judge(goal, samples) ?? []),
  }
}

/** The spread of every figure that the samples have. */
function figuresOf(samples: readonly Sample[]): Record<string, Spread> {
  const names = new Set<FigureName>(['operationsPerSecond', 'cpuMicrosPerOperation'])
  for (const { latency, figures, driverCpuSeconds } of samples) {
    if (driverCpuSeconds !== undefined) names.add('driverCpuMicrosPerOperation')
    for (const field of ['p50', 'p95', 'p99', 'p999', 'max'] as const) {
      if (latency !== undefined) names.add(`latency.${field}`)
    }
    for (const field of Object.keys(figures ?? {})) names.add(`figures.${field}`)
  }
  const spreads: Record<string, Spread> = {}
  for (const name of names) {
    const values = samples.flatMap((sample) => figureOf(sample, name) ?? [])
    if (values.length > 0) spreads[name] = spreadOf(values)
  }
  return spreads
}

function warningsOf(
  { machine, source }: RunFacts,
  measured: readonly MeasuredExperiment[],
): string[] {
  const warnings: string[] = []
  if (machine.disk?.inMemory === true) {
    warnings.push(
      `The data lay on ${machine.disk.fileSystem}, in memory: no figure here is of durable writes. Use --data.`,
    )
  }
  if (machine.load > machine.cores / 2) {
    warnings.push(
      `The machine was busy when the run began (load ${machine.load.toFixed(2)} on ${machine.cores} cores): absolute figures are too low, ratios less so.`,
    )
  }
  const retaken = retakesNote(measured.reduce((sum, one) => sum + one.retakes, 0))
  if (retaken !== undefined) warnings.push(retaken)
  const stolen = stolenTimeWarning(measured.flatMap((one) => [...one.samples.values()].flat()))
  if (stolen !== undefined) warnings.push(stolen)
  if (source?.changed === true) {
    warnings.push('The sources differ from the commit that is named here.')
  }
  return warnings
}
