// SPDX-License-Identifier: Apache-2.0
import type { Logger } from 'pino'
import type { accessOf } from '../../../planner/planner.ts'
import type { Clock } from '../../../storage/storage.ts'

/** So many lines a second: a server that is slow as a whole does not write a log of everything it does. */
const LINES_MAX = 10
const SECOND_MS = 1_000

export type SlowStatement = {
  readonly ms: number
  /** The text of the statement without its values. */
  readonly shape: string
  /** How its rows are found, by which key of which table; undefined where there are none to find. */
  readonly plan: ReturnType<typeof accessOf>
  readonly rowsReturned: number
  readonly rowsWritten: number
  /** The code of the error that it failed with. */
  readonly error?: string
}

/** Writes statements that took long into the log, by their shape. */
export class SlowStatements {
  /** From so many milliseconds on a statement is slow; infinite where none is to be logged. */
  readonly fromMs: number
  readonly #clock: Clock
  readonly #log: Logger
  #secondMs = 0
  #lines = 0
  #leftOut = 0

  /** `fromMs` is that of the flag, where 0 stands for none. */
  constructor(fromMs: number, { clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.fromMs = fromMs === 0 ? Number.POSITIVE_INFINITY : fromMs
    this.#clock = clock
    this.#log = log
  }

  met({ ms, ...statement }: SlowStatement): void {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs - this.#secondMs >= SECOND_MS) {
      this.#secondMs = nowMs
      this.#lines = 0
    }
    this.#lines += 1
    if (this.#lines > LINES_MAX) {
      this.#leftOut += 1
      return
    }
    const leftOut = this.#leftOut === 0 ? {} : { leftOut: this.#leftOut }
    this.#leftOut = 0
    this.#log.warn({ ms: Math.round(ms), ...statement, ...leftOut }, 'slow statement')
  }
}
