// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '../../clock.ts'
import type { StorageLog } from '../../storage-log.ts'

/**
 * One pass of a loop over all its work. Resolves to the milliseconds after which the next pass runs even if nothing
 * wakes the loop, 0 for at once; undefined to wait until it is woken.
 */
export type Pass = (signal: AbortSignal) => Promise<number | undefined>

/**
 * Runs a pass whenever it is woken, until it is stopped. A pass that fails is logged and tried again a second later, so
 * its work must lose nothing when it is interrupted.
 */
export class BackgroundLoop {
  readonly #deps: { readonly clock: Clock; readonly log: StorageLog }
  readonly #pass: Pass
  readonly #failureMessage: string
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined
  #woken = Promise.withResolvers<void>()
  #wakes = 0

  constructor(
    deps: { readonly clock: Clock; readonly log: StorageLog },
    work: { readonly pass: Pass; readonly failureMessage: string },
  ) {
    this.#deps = deps
    this.#pass = work.pass
    this.#failureMessage = work.failureMessage
  }

  get isStopped(): boolean {
    return this.#stopping.signal.aborted
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Says that there is work, which a pass under way may have missed. */
  wake(): void {
    this.#wakes += 1
    this.#woken.resolve()
    this.#woken = Promise.withResolvers()
  }

  /** Aborts the signal of the pass under way, and resolves when it has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#woken.resolve()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    const { clock, log } = this.#deps
    while (!signal.aborted) {
      const wakes = this.#wakes
      try {
        const waitMs = await this.#pass(signal)
        if (this.#wakes === wakes && waitMs !== 0) await this.#nextOccasion(waitMs)
      } catch (error) {
        if (signal.aborted) return
        log.warn({ error: String(error) }, this.#failureMessage)
        await clock.sleep(RETRY_MS, signal).catch(() => undefined)
      }
    }
  }

  async #nextOccasion(waitMs: number | undefined): Promise<void> {
    if (this.isStopped) return
    const woken = this.#woken.promise
    if (waitMs === undefined) return await woken
    const sleeping = new AbortController()
    const slept = this.#deps.clock.sleep(waitMs, sleeping.signal).catch(() => undefined)
    await Promise.race([woken, slept])
    sleeping.abort()
  }
}

const RETRY_MS = 1_000
