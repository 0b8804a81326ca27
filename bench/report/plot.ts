// SPDX-License-Identifier: Apache-2.0
import { parse, View } from 'vega'
import { compile, type TopLevelSpec } from 'vega-lite'
import type { Experiment, Plot } from '../harness/experiment.ts'
import { figureOf, type Sample } from '../harness/sample.ts'
import { fitLine } from './line-fit.ts'
import {
  barLayers,
  fitLayers,
  fitMarks,
  type GoalPoint,
  goalLayers,
  LABEL_WIDTH_MAX,
  lineLayers,
  type Point,
} from './plot-layers.ts'
import { shortNumber } from './report-table.ts'
import { spreadOf } from './statistics.ts'
import { type JudgedGoal, judge, type SamplesByContender } from './verdict.ts'

/** The experiment's plots as SVG texts, by name. */
export async function drawPlots(
  experiment: Experiment,
  samples: SamplesByContender,
): Promise<Map<string, string>> {
  const drawn = new Map<string, string>()
  for (const plot of experiment.plots ?? [barsOf(experiment)]) {
    const specification = specify(plot, experiment, samples)
    if (specification !== undefined) drawn.set(plot.name, await drawSvg(specification))
  }
  return drawn
}

function barsOf({ name, title, unit }: Experiment): Plot {
  return { name, title, figure: 'operationsPerSecond', yTitle: `${unit} per second`, kind: 'bars' }
}

function pointsOf(plot: Plot, { contenders }: Experiment, samples: SamplesByContender): Point[] {
  return contenders.flatMap(({ name, point }) => {
    if (plot.contenders?.includes(name) === false) return []
    if (plot.kind === 'lines' && point === undefined) return []
    const values = valuesOf(samples.get(name) ?? [], plot)
    if (values.length === 0) return []
    const { median, min, max } = spreadOf(values)
    const label = shortNumber(median)
    return [
      { contender: name, series: point?.series ?? '', x: point?.x ?? 0, median, min, max, label },
    ]
  })
}

function valuesOf(samples: readonly Sample[], plot: Plot): number[] {
  return samples.flatMap((sample) => figureOf(sample, plot.figure) ?? [])
}

const WIDTH = 640

/** Undefined when nothing of the plot was measured. */
function specify(
  plot: Plot,
  experiment: Experiment,
  samples: SamplesByContender,
): TopLevelSpec | undefined {
  const shared = {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    title: { text: plot.title, subtitle: 'median, and the range of all repetitions', offset: 12 },
    width: WIDTH,
    config: {
      font: 'sans-serif',
      axis: { labelFontSize: 12, titleFontSize: 12 },
      legend: { labelLimit: LABEL_WIDTH_MAX },
    },
    background: 'white',
    padding: 16,
  } as const
  if (plot.kind === 'goals') {
    const goals = experiment.goals.flatMap((goal) => judge(goal, samples) ?? [])
    const data = { values: goals.map(goalPoint) }
    if (goals.length === 0) return undefined
    return { ...shared, data, height: { step: 44 }, layer: [...goalLayers(plot, data.values)] }
  }
  if (plot.kind === 'fits') {
    const fitted = (experiment.fits ?? []).flatMap((fit) => fitLine(fit, samples) ?? [])
    if (fitted.length === 0) return undefined
    const title = { text: plot.title, subtitle: 'each sample, and lines through 0', offset: 12 }
    const layer = [...fitLayers(plot, fitMarks(fitted, plot.slopes))]
    return { ...shared, title, height: 360, layer }
  }
  const points = pointsOf(plot, experiment, samples)
  const data = { values: points }
  if (points.length === 0) return undefined
  return plot.kind === 'bars'
    ? { ...shared, data, height: { step: 34 }, layer: [...barLayers(plot, points)] }
    : { ...shared, data, height: 320, layer: [...lineLayers(plot)] }
}

/** What was measured stands behind the name: at the bar it would meet the ticks. */
function goalPoint({ goal, spread }: JudgedGoal): GoalPoint {
  const { median, min, max } = spread
  const { must, aim, paper } = goal
  const bounds = {
    ...(must === undefined ? {} : { must }),
    ...(aim === undefined ? {} : { aim }),
    ...(paper === undefined ? {} : { paper }),
  }
  return { contender: `${goal.what}: ${shortNumber(median)}`, median, min, max, ...bounds }
}

async function drawSvg(specification: TopLevelSpec): Promise<string> {
  const view = new View(parse(compile(specification).spec), { renderer: 'none' })
  try {
    return await view.toSVG()
  } finally {
    view.finalize()
  }
}
