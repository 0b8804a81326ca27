// SPDX-License-Identifier: Apache-2.0
import { defineObserver } from '../../server/live/observers/define-observer.ts'
import { closeLot, type Lot } from './close-lot.ts'

const WORKERS = 64

// What `--observers` of the killed server loads.
export const close = defineObserver<Lot>({ observer: 'close', workers: WORKERS, run: closeLot })
