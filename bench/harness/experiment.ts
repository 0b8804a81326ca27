// SPDX-License-Identifier: Apache-2.0
import type { FigureName, Sample } from './sample.ts'

/**
 * One question: several contenders do the same work side by side, in turn, several times, and goals
 * compare their figures. Absolute figures of a machine that others use too swing by a factor of two;
 * ratios of neighbours do not.
 */
export type Experiment = {
  /** What `--only` names; also the name of its plots. */
  readonly name: string
  readonly title: string
  /** What one operation is: `reads`, `transactions`, `rows`. */
  readonly unit: string
  readonly contenders: readonly Contender[]
  readonly goals: readonly Goal[]
  /** Lines through 0 that are laid through the samples. */
  readonly fits?: readonly LineFit[]
  /** Bars of operations per second when absent. */
  readonly plots?: readonly Plot[]
  /** Sentences for the report: what a row means, what is not claimed. */
  readonly notes?: readonly string[]
  /** For one sample; the run's `--seconds` when absent. */
  readonly seconds?: number
  /** So many times the run's `--seconds`, for what goes up and down within seconds. */
  readonly secondsFactor?: number
  /** Before each sample, for what the one before it has left to be done in the background. */
  readonly pauseSeconds?: number
  /** The run's `--repetitions` when absent: for what cannot be repeated, such as loading. */
  readonly repetitions?: number
  /** Before the first sample of each contender; 1 when absent, 0 for what cannot be repeated. */
  readonly warmUpSeconds?: number
}

export type Contender = {
  readonly name: string
  /** Its place on the axis of a plot of lines. */
  readonly point?: { readonly series: string; readonly x: number }
  /** Prepares everything (data loaded, server answering); all contenders are open at once. */
  open(surroundings: Surroundings): Promise<OpenContender>
}

export type OpenContender = {
  /** Works for about so long and then stops by itself, or as soon as the signal is aborted. */
  run(seconds: number, signal: AbortSignal): Promise<Sample>
  close(): Promise<void>
}

/** What a contender is given to prepare itself. */
export type Surroundings = {
  readonly signal: AbortSignal
  /** Shown behind the progress line while preparing: `3,000,000 of 10,000,000 rows`. */
  say(text: string): void
  /** A new empty folder, removed after the experiment, whatever happens. */
  temporaryFolder(name: string): Promise<string>
}

/**
 * What must be reached and what is aimed at. With `to` it is a ratio, taken in each repetition from
 * the two neighbours; without, the figure itself.
 */
export type Goal = {
  /** `read of one cell in a transaction / raw read`. */
  readonly what: string
  readonly of: string
  readonly to?: string
  /** `operationsPerSecond` when absent. */
  readonly figure?: FigureName
  /** Both absent where a figure is only told, because it explains another one. */
  readonly must?: number
  readonly aim?: number
  /** For costs and latencies; then `must` is the most that is allowed. */
  readonly smallerIsBetter?: boolean
  /** The same figure in the Percolator paper. */
  readonly paper?: number
  /** With its must missed, the run ends as a failure: for bounds that the caller sets. */
  readonly isRequired?: boolean
  /** Behind the numbers: `x`, `ms`, `MiB`, `/s`. `x` when absent. */
  readonly unit?: string
}

/** Whether one figure grows in proportion to another: a line through 0, and how well it fits. */
export type LineFit = {
  /** What the slope is: `TR/s per core used`. */
  readonly what: string
  readonly contenders: readonly string[]
  readonly x: FigureName
  readonly y: FigureName
}

export type Plot = FigurePlot | TimesPlot

type PlotWords = {
  readonly name: string
  readonly title: string
  readonly yTitle: string
  /** Only these contenders. */
  readonly contenders?: readonly string[]
}

/** What the last sample of each contender has of these values, over its time, with what was done meanwhile. */
export type TimesPlot = PlotWords & { readonly kind: 'times'; readonly values: string }

export type FigurePlot = PlotWords & {
  readonly figure: FigureName
  /**
   * `lines` needs each contender's `point`; contenders without one are left out. `goals` draws what was
   * measured of the experiment's goals beside must, aim and the paper. `fits` draws its fits, with the
   * samples that they are laid through.
   */
  readonly kind: 'bars' | 'lines' | 'goals' | 'fits'
  /** Lines through 0 that others have measured, beside the fits. */
  readonly slopes?: ReadonlyArray<{ readonly label: string; readonly slope: number }>
  readonly xTitle?: string
  /** What points and their ranges are; the median and the range of all repetitions when absent. */
  readonly subtitle?: string
  /** Of lines: two figures that the range of a point lies between, instead of its repetitions. */
  readonly ranges?: { readonly low: FigureName; readonly high: FigureName }
  /** Of lines: dashed, where on the x axis something lies: a number, or a contender's figure. */
  readonly rules?: ReadonlyArray<{
    readonly label: string
    readonly x: number | { readonly contender: string; readonly figure: FigureName }
  }>
  readonly xLogarithmic?: boolean
  readonly yLogarithmic?: boolean
}

/** One bar for each contender. */
export function bars(
  name: string,
  title: string,
  yTitle: string,
  figure: FigureName = 'operationsPerSecond',
): FigurePlot {
  return { name, title, figure, kind: 'bars', yTitle }
}

/** What `npm run bench -- <name>` runs. */
export type Suite = {
  readonly title: string
  /** For `--seconds` and `--repetitions`. */
  readonly defaults: { readonly seconds: number; readonly repetitions: number }
  /** Further flags of this suite; all take a text, but for switches. */
  readonly options?: Readonly<Record<string, SuiteOption>>
  /** Throws a UsageError when an option's value is wrong. */
  experiments(options: Readonly<Record<string, string>>): readonly Experiment[]
  /** Sentences that every report of the suite carries. */
  readonly notes?: readonly string[]
}

export type SuiteOption = {
  readonly default: string
  readonly help: string
  /** Takes no value: it is `yes` when the flag is there. */
  readonly isSwitch?: boolean
}

/** A wrong call: said in one line, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
