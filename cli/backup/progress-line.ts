// SPDX-License-Identifier: Apache-2.0
import type { Output } from '../command.ts'

/** Between two lines where there is no terminal. */
const LINE_MS = 5_000
const FROM_START = '\r\x1b[K'

/** How far something long is: on a terminal one line that is written over, elsewhere a line now and then. */
export class ProgressLine {
  readonly #output: Output
  #lineAtMs = performance.now()
  #isShown = false

  constructor(output: Output) {
    this.#output = output
  }

  show(what: string, bytesDone: number, bytesTotal: number): void {
    const share = bytesTotal === 0 ? 0 : Math.floor((100 * bytesDone) / bytesTotal)
    const text = `${what}: ${megabytes(bytesDone)} of ${megabytes(bytesTotal)} MB (${share} %)`
    if (this.#output.isTTY) {
      this.#output.write(`${FROM_START}${text}`)
      this.#isShown = true
    } else if (performance.now() - this.#lineAtMs >= LINE_MS) {
      this.#output.write(`${text}\n`)
      this.#lineAtMs = performance.now()
    }
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
