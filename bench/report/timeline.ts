// SPDX-License-Identifier: Apache-2.0
import type { OverTime } from '../harness/sample.ts'
import { drawSvg, SHARED } from './plot.ts'
import { timeLayers, timeMarks } from './time-layers.ts'

/** How many things were done in a second, in each whole step; `doneMs` says when each was, since the beginning. */
export function ratesOf(
  doneMs: readonly number[],
  { seconds, stepSeconds }: { readonly seconds: number; readonly stepSeconds: number },
): number[] {
  const counts = new Array<number>(Math.floor(seconds / stepSeconds)).fill(0)
  for (const ms of doneMs) {
    const step = Math.floor(ms / 1_000 / stepSeconds)
    if (step < counts.length) counts[step] = (counts[step] as number) + 1
  }
  return counts.map((count) => count / stepSeconds)
}

/** The values of this name over time as an SVG, with a line for each event. */
export async function drawTimeline(
  words: { readonly title: string; readonly yTitle: string; readonly values: string },
  overTime: OverTime,
): Promise<string> {
  const plot = { name: words.title, kind: 'times', ...words } as const
  const marks = timeMarks(plot, [{ name: words.values, samples: [{ overTime }] }])
  const layer = [...timeLayers(plot, marks)]
  return await drawSvg({ ...SHARED, title: { text: words.title, offset: 12 }, height: 260, layer })
}
