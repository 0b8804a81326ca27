// SPDX-License-Identifier: Apache-2.0
import type { JourneyName } from './journeys.ts'

/**
 * What one warm request may run through, in functions and calls of this project: what was reached. The numbers only
 * shrink; a commit that needs more says why. Writes go through the redo log, as of a server that has written a while.
 */
export const BOUNDS: Readonly<Record<JourneyName, readonly [functions: number, calls: number]>> = {
  get: [99, 118],
  getOfNoRow: [114, 160],
  getText: [97, 112],
  getOfNewText: [520, 717],
  getWithOption: [307, 357],
  getInside: [299, 389],
  getBySocket: [344, 466],
  rowGet: [96, 109],
  blindSet: [360, 490],
  readingSet: [509, 690],
  transfer: [507, 1_020],
  scan: [180, 612],
  health: [18, 18],
  getWithToken: [106, 127],
  getByRuleOfKey: [126, 149],
  getByRule: [124, 146],
}
