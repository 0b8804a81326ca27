// SPDX-License-Identifier: Apache-2.0
import type { JourneyName } from './journeys.ts'

/**
 * What one warm request may run through, in functions and calls of this project: what was reached. The numbers only
 * shrink; a commit that needs more says why.
 */
export const BOUNDS: Readonly<Record<JourneyName, readonly [functions: number, calls: number]>> = {
  get: [100, 117],
  getText: [415, 513],
  rowGet: [99, 114],
  blindSet: [533, 732],
  readingSet: [568, 780],
  transfer: [564, 1_178],
  scan: [397, 1_986],
  health: [45, 51],
}
