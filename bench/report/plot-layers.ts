// SPDX-License-Identifier: Apache-2.0
import type { FigurePlot } from '../harness/experiment.ts'
import type { FittedLine } from './line-fit.ts'
import { fitWords } from './report-table.ts'

/** One mark of a plot: the median, and the least and most of the repetitions. */
export type Point = {
  readonly contender: string
  readonly series: string
  readonly x: number
  readonly median: number
  readonly min: number
  readonly max: number
  /** The median, as text. */
  readonly label: string
}

/** As a point of bars, with the bounds and the paper's figure beside it. */
export type GoalPoint = Omit<Point, 'series' | 'x' | 'label'> & {
  readonly must: number | undefined
  readonly aim: number | undefined
  readonly paper: number | undefined
}

const BLUE = '#3466a5'
/** Estimated widths, which are larger than those of most fonts. */
export const LABEL_WIDTH_MAX = 700

/** Lying bars under the names of the contenders, with the median behind each. */
export function barLayers(plot: FigurePlot, points: readonly Point[]) {
  const y = contenderAxis(points)
  const label = {
    mark: { type: 'text', align: 'left', dx: 6, fontSize: 12 },
    encoding: {
      y,
      x: { field: 'max', type: 'quantitative' },
      text: { field: 'label', type: 'nominal' },
    },
  } as const
  return [...barsAndRanges(plot, points), label] as const
}

function barsAndRanges(plot: FigurePlot, points: readonly Named[]) {
  const y = contenderAxis(points)
  const x = numberAxis('median', plot.yTitle, plot.yLogarithmic)
  return [
    { mark: { type: 'bar', color: BLUE, height: 18 }, encoding: { y, x } },
    {
      mark: { type: 'rule', strokeWidth: 2, color: 'black' },
      encoding: { y, x: { field: 'min', type: 'quantitative' }, x2: { field: 'max' } },
    },
  ] as const
}

function numberAxis(field: string, title: string, isLogarithmic = false) {
  const scale = isLogarithmic ? ({ type: 'log' } as const) : {}
  return { field, type: 'quantitative', title, scale, axis: { format: '~s' } } as const
}

/** Beside the bars, long names would leave no room for them where the page is narrow. */
const NAME_ABOVE = {
  labelLimit: LABEL_WIDTH_MAX,
  labelAlign: 'left',
  labelBaseline: 'bottom',
  labelOffset: -10,
  labelPadding: -2,
  ticks: false,
  domain: false,
  zindex: 1,
} as const

type Named = Pick<Point, 'contender'>

function contenderAxis(points: readonly Named[]) {
  return {
    field: 'contender',
    type: 'nominal',
    title: null,
    sort: points.map(({ contender }) => contender),
    axis: NAME_ABOVE,
  } as const
}

/** Bars of what was measured, and one tick each for must, aim and the paper. */
export function goalLayers(plot: FigurePlot, points: readonly GoalPoint[]) {
  const y = contenderAxis(points)
  const tick = (field: 'must' | 'aim' | 'paper') => {
    const transform: Array<{ filter: string }> = [{ filter: `isValid(datum.${field})` }]
    return {
      transform,
      mark: { type: 'tick', thickness: 4, size: 22 },
      encoding: {
        y,
        x: { field, type: 'quantitative' },
        color: {
          datum: field,
          type: 'nominal',
          scale: { domain: ['must', 'aim', 'paper'], range: ['#b3541e', '#2f7d4f', '#999999'] },
          legend: { title: null, orient: 'bottom' },
        },
      },
    } as const
  }
  return [...barsAndRanges(plot, points), tick('must'), tick('aim'), tick('paper')] as const
}

export type FitMarks = {
  readonly dots: ReadonlyArray<FitMark & { readonly label: string }>
  readonly lines: readonly FitMark[]
}

type FitMark = { readonly series: string; readonly x: number; readonly y: number }

/** Each line goes from 0 as far as anything was measured. */
export function fitMarks(
  fitted: readonly FittedLine[],
  slopes: NonNullable<FigurePlot['slopes']> = [],
): FitMarks {
  const xMax = Math.max(...fitted.flatMap(({ points }) => points.map(({ x }) => x)))
  const named = fitted.map((line) => ({ ...line, series: fitWords(line) }))
  const through = (series: string, slope: number): FitMark[] => [
    { series, x: 0, y: 0 },
    { series, x: xMax, y: slope * xMax },
  ]
  return {
    dots: named.flatMap(({ series, points }) =>
      points.map(({ contender, x, y }) => ({ series, label: contender, x, y })),
    ),
    lines: [
      ...named.flatMap(({ series, slope }) => through(series, slope)),
      ...slopes.flatMap(({ label, slope }) => through(label, slope)),
    ],
  }
}

export function fitLayers(plot: FigurePlot, { dots, lines }: FitMarks) {
  const x = { field: 'x', type: 'quantitative', title: plot.xTitle ?? '' } as const
  const y = { field: 'y', type: 'quantitative', title: plot.yTitle } as const
  const color = {
    field: 'series',
    type: 'nominal',
    title: null,
    legend: { orient: 'bottom', direction: 'vertical' },
  } as const
  return [
    { data: { values: [...lines] }, mark: { type: 'line' }, encoding: { x, y, color } },
    {
      data: { values: [...dots] },
      mark: { type: 'point', filled: true, size: 60 },
      encoding: { x, y, color },
    },
    {
      data: { values: [...dots] },
      mark: { type: 'text', align: 'right', dx: -8, dy: -6, fontSize: 11 },
      encoding: { x, y, text: { field: 'label', type: 'nominal' } },
    },
  ] as const
}

const DASHES = [5, 4]
const RULE_NAME_HEIGHT = 14

/** A dashed line from bottom to top. */
export type Rule = { readonly label: string; readonly x: number }

export function lineLayers(plot: FigurePlot, rules: readonly Rule[]) {
  const x = numberAxis('x', plot.xTitle ?? '', plot.xLogarithmic)
  const y = numberAxis('median', plot.yTitle, plot.yLogarithmic)
  const legend = { title: null, orient: 'bottom', direction: 'vertical' } as const
  const color = { field: 'series', type: 'nominal', legend } as const
  const named = namesAbove(rules)
  return [
    { mark: { type: 'line', point: { size: 60 } }, encoding: { x, y, color } },
    {
      mark: { type: 'rule', strokeWidth: 1.5 },
      encoding: { x, color, y: { field: 'min', type: 'quantitative' }, y2: { field: 'max' } },
    },
    {
      data: { values: named },
      mark: { type: 'rule', strokeDash: DASHES, color: '#777777' },
      encoding: {
        x: { field: 'x', type: 'quantitative' },
        y: { field: 'top', type: 'quantitative', scale: null },
        y2: { value: 'height' },
      },
    },
    {
      data: { values: named },
      mark: { type: 'text', align: 'right', dx: -6, fontSize: 11, color: '#777777' },
      encoding: {
        x: { field: 'x', type: 'quantitative' },
        y: { field: 'top', type: 'quantitative', scale: null },
        text: { field: 'label', type: 'nominal' },
      },
    },
  ] as const
}

/** Above what was measured, one above the other: their lines may be close together. In pixels, up is less. */
function namesAbove(rules: readonly Rule[]) {
  return rules.map((rule, at) => ({ ...rule, top: -8 - RULE_NAME_HEIGHT * at }))
}
