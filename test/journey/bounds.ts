// SPDX-License-Identifier: Apache-2.0
import type { JourneyName } from './journeys.ts'

/**
 * What one warm request may run through, in functions and calls of this project: what was reached. The numbers only
 * shrink; a commit that needs more says why. Writes go through the redo log, as of a server that has written a while.
 */
export const BOUNDS: Readonly<Record<JourneyName, readonly [functions: number, calls: number]>> = {
  get: [98, 117],
  getText: [96, 111],
  getOfNewText: [509, 712],
  getWithOption: [311, 365],
  getInside: [301, 396],
  getBySocket: [349, 476],
  rowGet: [96, 109],
  blindSet: [480, 650],
  readingSet: [517, 698],
  transfer: [518, 1_030],
  scan: [330, 820],
  health: [18, 18],
}
