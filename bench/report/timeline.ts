// SPDX-License-Identifier: Apache-2.0
import type { TopLevelSpec } from 'vega-lite'
import { drawSvg, SHARED } from './plot.ts'
import { timeLayers } from './time-layers.ts'

export type Timeline = {
  readonly title: string
  readonly yTitle: string
  /** When each thing was done, in ms since the beginning. */
  readonly doneMs: readonly number[]
  readonly seconds: number
  /** What was done to the system, and when. */
  readonly events: ReadonlyArray<{ readonly atMs: number; readonly what: string }>
}

/** Throughput over time as an SVG, one point a second, with a line for each event (the paper's Figure 10). */
export async function drawTimeline(timeline: Timeline): Promise<string> {
  const counts = Array.from({ length: Math.ceil(timeline.seconds) }, (_, second) => ({
    second,
    count: 0,
  }))
  for (const ms of timeline.doneMs) {
    const point = counts[Math.floor(ms / 1_000)]
    if (point !== undefined) point.count += 1
  }
  const marks = {
    values: counts.map(({ second, count }) => ({ series: timeline.yTitle, second, value: count })),
    events: timeline.events.map(({ atMs, what }) => ({ second: atMs / 1_000, what })),
  }
  const specification: TopLevelSpec = {
    ...SHARED,
    title: { text: timeline.title, offset: 12 },
    height: 260,
    layer: [...timeLayers(timeline, marks)],
  }
  return await drawSvg(specification)
}
