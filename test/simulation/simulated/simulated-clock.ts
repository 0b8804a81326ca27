// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '../../../storage/clock.ts'
import type { Scheduler } from './scheduler.ts'
import type { SimulatedProcess } from './simulated-process.ts'

const EPOCH_MICROS = Date.UTC(2026, 0, 1) * 1000

/** A process' own idea of the time: off by an offset, running at its own rate, and jumping at will. */
export class SimulatedClock implements Clock {
  readonly #scheduler: Scheduler
  readonly #process: SimulatedProcess
  readonly #rate: number
  readonly #startedAtMs: number
  #offsetMs: number

  constructor(
    scheduler: Scheduler,
    process: SimulatedProcess,
    deviation: { readonly offsetMs: number; readonly rate: number },
  ) {
    this.#scheduler = scheduler
    this.#process = process
    this.#rate = deviation.rate
    this.#offsetMs = deviation.offsetMs
    this.#startedAtMs = scheduler.nowMs
  }

  wallMicros(): number {
    const wallMs = this.#startedAtMs + this.monotonicMs() + this.#offsetMs
    return EPOCH_MICROS + Math.floor(wallMs * 1000)
  }

  monotonicMs(): number {
    return (this.#scheduler.nowMs - this.#startedAtMs) * this.#rate
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const refuse = () => reject(signal?.reason)
      signal?.addEventListener('abort', refuse, { once: true })
      const wake = () => {
        signal?.removeEventListener('abort', refuse)
        resolve()
      }
      this.#scheduler.after(ms / this.#rate, 'wakes', wake, this.#process)
    })
  }

  jumpWall(ms: number): void {
    this.#offsetMs += ms
  }
}
