// SPDX-License-Identifier: Apache-2.0
import type { JourneyName } from './journeys.ts'

/**
 * What one warm request may run through, in functions and calls of this project: what was reached. The numbers only
 * shrink; a commit that needs more says why.
 */
export const BOUNDS: Readonly<Record<JourneyName, readonly [functions: number, calls: number]>> = {
  get: [419, 517],
  getText: [427, 544],
  rowGet: [520, 702],
  blindSet: [619, 844],
  readingSet: [654, 908],
  transfer: [667, 1_431],
  scan: [487, 2_191],
  health: [50, 57],
}
