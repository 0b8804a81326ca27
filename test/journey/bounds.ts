// SPDX-License-Identifier: Apache-2.0
import type { JourneyName } from './journeys.ts'

/**
 * What one warm request may run through, in functions and calls of this project: what was reached. The numbers only
 * shrink; a commit that needs more says why. Writes go through the redo log, as of a server that has written a while.
 */
export const BOUNDS: Readonly<Record<JourneyName, readonly [functions: number, calls: number]>> = {
  get: [99, 119],
  getText: [97, 113],
  getOfNewText: [527, 735],
  getWithOption: [331, 390],
  getInside: [326, 430],
  getBySocket: [377, 515],
  rowGet: [97, 111],
  blindSet: [557, 765],
  readingSet: [588, 803],
  transfer: [586, 1_204],
  scan: [340, 831],
  health: [19, 19],
}
