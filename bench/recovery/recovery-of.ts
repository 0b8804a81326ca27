// SPDX-License-Identifier: Apache-2.0

/** What clients felt of one thing that was killed. Times in ms since the beginning of the run. */
export type Killed = {
  /** Since when the level before it is taken. */
  readonly levelFromMs: number
  readonly killedMs: number
  /** Until when it is looked at: before the next thing is killed. */
  readonly untilMs: number
}

export type Recovery = {
  /** Operations a second before it was killed. */
  readonly level: number
  /** Of the level, from 0 on, in the worst half second; undefined without a level, or without half a second. */
  readonly lowestShare: number | undefined
  /** From the kill to the first second at `RECOVERED_SHARE` of the level; undefined where there was none. */
  readonly recoveredSeconds: number | undefined
  /** The longest time without an operation. */
  readonly longestGapSeconds: number
}

export const RECOVERED_SHARE = 0.9

const STEP_MS = 100
const LOWEST_MS = 500
const RECOVERED_MS = 1_000

/** `doneMs` ascends. */
export function recoveryOf(
  doneMs: readonly number[],
  { levelFromMs, killedMs, untilMs }: Killed,
): Recovery {
  const count = (fromMs: number, toMs: number) =>
    doneMs.reduce((sum, ms) => sum + (ms >= fromMs && ms < toMs ? 1 : 0), 0)
  const level = count(levelFromMs, killedMs) / (killedMs - levelFromMs)
  let lowestShare = Infinity
  let recoveredSeconds: number | undefined
  for (let ms = killedMs; ms + LOWEST_MS <= untilMs; ms += STEP_MS) {
    lowestShare = Math.min(lowestShare, count(ms, ms + LOWEST_MS) / (level * LOWEST_MS))
    if (recoveredSeconds !== undefined || ms + RECOVERED_MS > untilMs) continue
    const share = count(ms, ms + RECOVERED_MS) / (level * RECOVERED_MS)
    if (level > 0 && share >= RECOVERED_SHARE) recoveredSeconds = (ms - killedMs) / 1_000
  }
  return {
    level: level * 1_000,
    lowestShare: Number.isFinite(lowestShare) ? lowestShare : undefined,
    recoveredSeconds,
    longestGapSeconds: longestGapMs(doneMs, killedMs, untilMs) / 1_000,
  }
}

function longestGapMs(doneMs: readonly number[], fromMs: number, untilMs: number): number {
  const within = doneMs.filter((ms) => ms >= fromMs && ms < untilMs)
  const edges = [fromMs, ...within, untilMs]
  return Math.max(...edges.slice(1).map((ms, at) => ms - (edges[at] as number)))
}
