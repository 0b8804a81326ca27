// SPDX-License-Identifier: Apache-2.0
import { type Clock, systemClock } from '../../storage/clock.ts'

/** The clock of this machine, which a test sets forward and back. */
export class ShiftedClock implements Clock {
  #shiftMs = 0

  wallMicros(): number {
    return systemClock.wallMicros() + this.#shiftMs * 1_000
  }

  monotonicMs(): number {
    return systemClock.monotonicMs()
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(ms, signal)
  }

  set(shiftMs: number): void {
    this.#shiftMs = shiftMs
  }

  get shiftMs(): number {
    return this.#shiftMs
  }
}
