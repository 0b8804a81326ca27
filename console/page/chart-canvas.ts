// SPDX-License-Identifier: Apache-2.0
import uPlot from 'uplot'

export type ChartData = {
  /** When each value was measured, in seconds since 1970. */
  readonly times: readonly number[]
  /** A list for each line; null where nothing was measured. */
  readonly lines: ReadonlyArray<readonly (number | null)[]>
}

export type ChartLook = {
  readonly label: string
  readonly lineLabels: readonly string[]
  readonly format: (value: number) => string
}

const HEIGHT = 120
const AXIS_WIDTH = 64

/** The colours of a canvas, which knows no variables: they are read from elements that use them. */
export type ChartColours = {
  readonly lines: readonly string[]
  readonly ink: string
  readonly rule: string
}

/** A drawing of lines over time in `parent`. */
export class ChartCanvas {
  readonly #plot: uPlot
  #colours: ChartColours

  constructor(parent: HTMLElement, look: ChartLook, data: ChartData, colours: ChartColours) {
    this.#colours = colours
    this.#plot = new uPlot(this.#options(parent.clientWidth, look), aligned(data), parent)
  }

  show(data: ChartData): void {
    this.#plot.setData(aligned(data))
  }

  resize(width: number): void {
    this.#plot.setSize({ width, height: HEIGHT })
  }

  recolour(colours: ChartColours): void {
    this.#colours = colours
    this.#plot.redraw(false)
  }

  end(): void {
    this.#plot.destroy()
  }

  #options(width: number, { lineLabels, format }: ChartLook): uPlot.Options {
    const axis = {
      stroke: () => this.#colours.ink,
      grid: { stroke: () => this.#colours.rule, width: 1 },
      ticks: { show: false },
      font: '11px system-ui, sans-serif',
    }
    return {
      width,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, drag: { setScale: false } },
      scales: { y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.1 : 1] } },
      axes: [
        { ...axis, space: 90, size: 24, values: (_plot, splits) => splits.map(timeText) },
        {
          ...axis,
          size: AXIS_WIDTH,
          space: 32,
          values: (_plot, splits) => splits.map((value) => format(value)),
        },
      ],
      series: [
        {},
        ...lineLabels.map((label, at) => ({
          label,
          stroke: () => this.#colours.lines[at] ?? this.#colours.ink,
          width: 1.5,
          points: { show: false },
        })),
      ],
    }
  }
}

/** In UTC, as all times of the console. */
function timeText(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(11, 19)
}

function aligned({ times, lines }: ChartData): uPlot.AlignedData {
  return [times as number[], ...lines.map((line) => line as Array<number | null>)]
}
