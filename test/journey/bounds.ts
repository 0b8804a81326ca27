// SPDX-License-Identifier: Apache-2.0
import type { JourneyName } from './journeys.ts'

/**
 * What one warm request may run through, in functions and calls of this project: what was reached. The numbers only
 * shrink; a commit that needs more says why.
 */
export const BOUNDS: Readonly<Record<JourneyName, readonly [functions: number, calls: number]>> = {
  get: [422, 522],
  getText: [429, 548],
  rowGet: [520, 703],
  blindSet: [621, 850],
  readingSet: [657, 915],
  transfer: [668, 1_433],
  scan: [489, 2_199],
  health: [52, 59],
}
