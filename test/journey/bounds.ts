// SPDX-License-Identifier: Apache-2.0
import type { JourneyName } from './journeys.ts'

/**
 * What one warm request may run through, in functions and calls of this project: what was reached. The numbers only
 * shrink; a commit that needs more says why.
 */
export const BOUNDS: Readonly<Record<JourneyName, readonly [functions: number, calls: number]>> = {
  get: [100, 117],
  getText: [417, 514],
  rowGet: [99, 114],
  blindSet: [537, 736],
  readingSet: [574, 785],
  transfer: [570, 1_184],
  scan: [399, 2_005],
  health: [45, 51],
}
