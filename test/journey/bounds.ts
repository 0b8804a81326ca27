// SPDX-License-Identifier: Apache-2.0
import type { JourneyName } from './journeys.ts'

/**
 * What one warm request may run through, in functions and calls of this project: what was reached. The numbers only
 * shrink; a commit that needs more says why. Writes go through the redo log, as of a server that has written a while.
 */
export const BOUNDS: Readonly<Record<JourneyName, readonly [functions: number, calls: number]>> = {
  get: [99, 119],
  getText: [414, 500],
  getOfNewText: [592, 810],
  getWithOption: [410, 494],
  getInside: [422, 562],
  getBySocket: [412, 563],
  rowGet: [97, 111],
  blindSet: [553, 749],
  readingSet: [588, 795],
  transfer: [587, 1_204],
  scan: [342, 831],
  health: [19, 19],
}
