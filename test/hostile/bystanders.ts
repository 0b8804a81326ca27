// SPDX-License-Identifier: Apache-2.0
import { Worker } from 'node:worker_threads'

/** The thread of `bystander-worker.ts`, and what it has found so far. */
export class Bystanders {
  readonly #figures: Float64Array
  readonly #ended: Promise<{ readonly healthP99Ms: number }>

  constructor(url: string) {
    const shared = new SharedArrayBuffer(6 * Float64Array.BYTES_PER_ELEMENT)
    this.#figures = new Float64Array(shared)
    const worker = new Worker(new URL('./bystander-worker.ts', import.meta.url), {
      workerData: { url, shared },
    })
    this.#ended = new Promise((resolve, reject) => {
      worker.once('message', resolve).once('error', reject)
    })
  }

  /** The longest wait for health in milliseconds, also one that is still going on. */
  get longestMs(): number {
    const [longestMs = 0, beganMs = 0] = this.#figures
    const waitingMs = beganMs === 0 ? 0 : performance.timeOrigin + performance.now() - beganMs
    return Math.max(longestMs, waitingMs)
  }

  /** How often health was asked, and small requests that were served and those that were not. */
  get counts(): { readonly probes: number; readonly served: number; readonly refused: number } {
    const [, , probes = 0, served = 0, refused = 0] = this.#figures
    return { probes, served, refused }
  }

  /** Forgets the waits that have ended. */
  forgetWaits(): void {
    this.#figures[0] = 0
  }

  /** Forgets the waits that have ended, and what was counted. */
  forget(): void {
    this.forgetWaits()
    this.#figures.fill(0, 2, 5)
  }

  /** Ends the thread. Resolves to how long 99 of 100 waits for health were at most, in milliseconds. */
  async end(): Promise<number> {
    this.#figures[5] = 1
    return (await this.#ended).healthP99Ms
  }
}
