// SPDX-License-Identifier: Apache-2.0
import type { TimesPlot } from '../harness/experiment.ts'
import type { Sample } from '../harness/sample.ts'

export type TimeMarks = {
  readonly values: ReadonlyArray<{
    readonly series: string
    readonly second: number
    readonly value: number
  }>
  readonly events: ReadonlyArray<{ readonly second: number; readonly what: string }>
}

type Course = {
  readonly name: string
  readonly samples: ReadonlyArray<Pick<Sample, 'overTime'>>
}

/** A value stands where its step begins. */
export function timeMarks(
  { values: name, contenders: chosen }: TimesPlot,
  contenders: readonly Course[],
): TimeMarks {
  const drawn = contenders.flatMap(({ name: series, samples }) => {
    const overTime = samples.at(-1)?.overTime
    return overTime === undefined || chosen?.includes(series) === false
      ? []
      : [{ series, overTime }]
  })
  return {
    values: drawn.flatMap(({ series, overTime: { values, stepSeconds } }) =>
      (values[name] ?? []).map((value, step) => ({ series, second: step * stepSeconds, value })),
    ),
    events: drawn.flatMap(({ overTime: { events = [] } }) =>
      events.map(({ atSeconds, what }) => ({ second: atSeconds, what })),
    ),
  }
}

/** A line for each series, and one that stands for each event. */
export function timeLayers({ yTitle }: Pick<TimesPlot, 'yTitle'>, { values, events }: TimeMarks) {
  const x = { field: 'second', type: 'quantitative', title: 'seconds' } as const
  const y = { field: 'value', type: 'quantitative', title: yTitle } as const
  const legend = { title: null, orient: 'bottom', direction: 'vertical' } as const
  return [
    {
      data: { values: [...events] },
      mark: { type: 'rule', strokeDash: [4, 3] as number[] },
      encoding: { x, color: { field: 'what', type: 'nominal', legend } },
    },
    {
      data: { values: [...values] },
      mark: { type: 'line' },
      encoding: { x, y, color: { field: 'series', type: 'nominal', legend } },
    },
  ] as const
}
