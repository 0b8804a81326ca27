// SPDX-License-Identifier: Apache-2.0
import { parse, View } from 'vega'
import { compile, type TopLevelSpec } from 'vega-lite'
import type { FigurePlot, Plot } from '../harness/experiment.ts'
import {
  barLayers,
  fitLayers,
  fitMarks,
  type GoalPoint,
  goalLayers,
  LABEL_WIDTH_MAX,
  lineLayers,
  type Point,
  type Rule,
} from './plot-layers.ts'
import type { ReportedExperiment } from './report.ts'
import { shortNumber } from './report-table.ts'
import { timeLayers, timeMarks } from './time-layers.ts'
import type { JudgedGoal } from './verdict.ts'

/** Alone in a file, or in a page that says what it is, and is read on phones too. */
export type PlotPlace = 'file' | 'page'

/** The experiment's plots as SVG texts, by name. */
export async function drawPlots(
  reported: ReportedExperiment,
  place: PlotPlace = 'file',
): Promise<Map<string, string>> {
  const drawn = new Map<string, string>()
  for (const plot of reported.plots) {
    const specification = specify(plot, reported)
    if (specification === undefined) continue
    const { title: _, ...untitled } = specification
    const placed = place === 'file' ? specification : { ...untitled, ...ON_PAGE }
    drawn.set(plot.name, await drawSvg(placed as TopLevelSpec))
  }
  return drawn
}

function pointsOf(plot: FigurePlot, { contenders }: ReportedExperiment): Point[] {
  return contenders.flatMap(({ name, point, figures }) => {
    if (plot.contenders?.includes(name) === false) return []
    if (plot.kind === 'lines' && point === undefined) return []
    const spread = figures[plot.figure]
    if (spread === undefined) return []
    const { median } = spread
    const { low = plot.figure, high = plot.figure } = plot.ranges ?? {}
    const min = figures[low]?.min ?? median
    const max = figures[high]?.max ?? median
    const label = shortNumber(median)
    return [
      { contender: name, series: point?.series ?? '', x: point?.x ?? 0, median, min, max, label },
    ]
  })
}

export const SHARED = {
  $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
  width: 640,
  config: {
    font: 'sans-serif',
    axis: { labelFontSize: 12, titleFontSize: 12 },
    legend: { labelLimit: LABEL_WIDTH_MAX, labelFontSize: 12 },
  },
  background: 'white',
  padding: 16,
} as const

const ON_PAGE = { width: 420, padding: 4 } as const

/** Undefined when nothing of the plot was measured. */
function specify(plot: Plot, reported: ReportedExperiment): TopLevelSpec | undefined {
  const shared = {
    ...SHARED,
    title: { text: plot.title, subtitle: subtitleOf(plot), offset: 12 },
  }
  if (plot.kind === 'times') {
    const marks = timeMarks(plot, reported.contenders)
    if (marks.values.length === 0) return undefined
    return { ...shared, height: 260, layer: [...timeLayers(plot, marks)] }
  }
  if (plot.kind === 'fits') {
    if (reported.fits.length === 0) return undefined
    const layer = [...fitLayers(plot, fitMarks(reported.fits, plot.slopes))]
    return { ...shared, height: 360, layer }
  }
  if (plot.kind === 'goals') {
    const values = withoutSharedBeginning(reported.goals).map(goalPoint)
    if (values.length === 0) return undefined
    const layer = [...goalLayers(plot, values)]
    return { ...shared, data: { values }, height: { step: 52 }, layer }
  }
  const points = pointsOf(plot, reported)
  const data = { values: points }
  if (points.length === 0) return undefined
  if (plot.kind === 'bars')
    return { ...shared, data, height: { step: 46 }, layer: [...barLayers(plot, points)] }
  const layer = [...lineLayers(plot, rulesOf(plot, reported))]
  return { ...shared, data, height: 320, layer }
}

/** What its marks are. */
export function subtitleOf(plot: Plot): string {
  if (plot.kind === 'times') return 'the last repetition'
  if (plot.kind === 'fits') return 'each sample, and lines through the origin'
  return plot.subtitle ?? 'median, and the range of all repetitions'
}

function rulesOf({ rules = [] }: FigurePlot, { contenders }: ReportedExperiment): Rule[] {
  return rules.flatMap(({ label, x: place }) => {
    const found = typeof place === 'number' ? place : figureAt(place)
    return found === undefined ? [] : [{ label: `${label}: ${shortNumber(found)}`, x: found }]
  })

  function figureAt(place: { readonly contender: string; readonly figure: string }) {
    const found = contenders.find(({ name }) => name === place.contender)
    return found?.figures[place.figure]?.median
  }
}

/** What all of them begin with, `Figure 8 on etcd`, is in the title, and long names are cut. */
function withoutSharedBeginning(goals: readonly JudgedGoal[]): readonly JudgedGoal[] {
  const [first = '', ...others] = goals.map(({ what }) => what.split(/(?=[:,] )/)[0] ?? '')
  if (others.length === 0 || others.some((other) => other !== first)) return goals
  const short = (what: string) => what.slice(first.length).replace(/^[:,] /, '')
  return goals.map((goal) => ({ ...goal, what: short(goal.what) || goal.what }))
}

/** What was measured stands behind the name: at the bar it would meet the ticks. */
function goalPoint({ what, measured, must, aim, paper }: JudgedGoal): GoalPoint {
  const { median, min, max } = measured
  return { contender: `${what}: ${shortNumber(median)}`, median, min, max, must, aim, paper }
}

export async function drawSvg(specification: TopLevelSpec): Promise<string> {
  const view = new View(parse(compile(specification).spec), { renderer: 'none' })
  try {
    return withOwnIds(await view.toSVG())
  } finally {
    view.finalize()
  }
}

/** Vega counts its ids through the process, but the same plot is to be the same text. */
function withOwnIds(svg: string): string {
  const ids = [...new Set([...svg.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id as string))]
  return ids.reduce(
    (text, id, at) =>
      text
        .replaceAll(` id="${id}"`, ` id="own-${at}"`)
        .replaceAll(`url(#${id})`, `url(#own-${at})`),
    svg,
  )
}
