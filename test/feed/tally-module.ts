// SPDX-License-Identifier: Apache-2.0
import { defineObserver } from '../../server/live/observers/define-observer.ts'
import { tally } from './tally.ts'

// What `--observers` of the killed server loads.

export const here = defineObserver({ observer: 'tally_here', workers: 2, run: tally })
export const both = defineObserver({ observer: 'tally_both', workers: 1, run: tally })
