// SPDX-License-Identifier: Apache-2.0
import type { Output } from '../command.ts'

/** Between two lines where there is no terminal, and two looks of a line on one. */
const [LINE_MS, SHOWN_MS] = [5_000, 100]
const FROM_START = '\r\x1b[K'

/** How far something long is: on a terminal one line that is written over, elsewhere a line now and then. */
export class ProgressLine {
  readonly #output: Output
  readonly #nowMs: () => number
  #lineAtMs: number
  #isShown = false
  #what = ''
  #beganMs = 0

  constructor(output: Output, nowMs: () => number = () => performance.now()) {
    this.#output = output
    this.#nowMs = nowMs
    this.#lineAtMs = nowMs()
  }

  /** Without `bytesTotal` nobody knows how much of it is done, and it is told how long it has taken. */
  show(what: string, bytesDone: number, bytesTotal: number | undefined): void {
    const nowMs = this.#nowMs()
    const isNew = what !== this.#what
    if (isNew) this.#beganMs = nowMs
    this.#what = what
    const isTerminal = this.#output.isTTY === true
    const waitMs = isTerminal ? (isNew ? 0 : SHOWN_MS) : LINE_MS
    if (nowMs - this.#lineAtMs < waitMs) return
    this.#lineAtMs = nowMs
    this.#isShown = isTerminal
    const text = `${what}: ${this.#howFar(bytesDone, bytesTotal)}`
    this.#output.write(isTerminal ? `${FROM_START}${text}` : `${text}\n`)
  }

  #howFar(bytesDone: number, bytesTotal: number | undefined): string {
    if (bytesTotal === undefined) {
      return `${megabytes(bytesDone)} MB, ${Math.floor((this.#nowMs() - this.#beganMs) / 1000)} s`
    }
    const share = bytesTotal === 0 ? 0 : Math.floor((100 * bytesDone) / bytesTotal)
    return `${megabytes(bytesDone)} of ${megabytes(bytesTotal)} MB (${share} %)`
  }

  /** Leaves the line of the terminal empty. */
  end(): void {
    if (this.#isShown) this.#output.write(FROM_START)
    this.#isShown = false
  }
}

export function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}
