// SPDX-License-Identifier: Apache-2.0
import type { JourneyName } from './journeys.ts'

/**
 * What one warm request may run through, in functions and calls of this project: what was reached. The numbers only
 * shrink; a commit that needs more says why.
 */
export const BOUNDS: Readonly<Record<JourneyName, readonly [functions: number, calls: number]>> = {
  get: [100, 117],
  getText: [415, 513],
  rowGet: [100, 115],
  blindSet: [615, 835],
  readingSet: [651, 884],
  transfer: [650, 1_304],
  scan: [481, 2_089],
  health: [45, 51],
}
