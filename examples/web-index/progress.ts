// SPDX-License-Identifier: Apache-2.0

const TTY_STEP_MS = 100
const LOG_STEP_MS = 2_000

/** One line that is written over on a terminal, a line every two seconds anywhere else. */
export class Progress {
  readonly #stream: NodeJS.WriteStream
  readonly #line: () => string
  readonly #timer: NodeJS.Timeout

  constructor(stream: NodeJS.WriteStream, line: () => string) {
    this.#stream = stream
    this.#line = line
    this.#timer = setInterval(() => this.#write(), stream.isTTY ? TTY_STEP_MS : LOG_STEP_MS)
  }

  #write(): void {
    const text = this.#line()
    // The rest of a longer line before is erased.
    this.#stream.write(this.#stream.isTTY ? `\r${text}\u001b[K` : `${text}\n`)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#write()
    if (this.#stream.isTTY) this.#stream.write('\n')
  }
}
