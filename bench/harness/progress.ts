// SPDX-License-Identifier: Apache-2.0

/** Where the run stands. On a terminal one line that is rewritten; elsewhere a line for each step. */
export class Progress {
  readonly #out: NodeJS.WriteStream
  readonly #now: () => number
  readonly #startedMs: number
  #stepsTotal = 0
  #stepsDone = 0
  /** What the steps are expected to take, from their settings, without what else there is to do in them. */
  #expectedMsTotal = 0
  #expectedMsDone = 0
  #text = ''
  #saidMs = -Infinity

  constructor(out: NodeJS.WriteStream, now: () => number = () => performance.now()) {
    this.#out = out
    this.#now = now
    this.#startedMs = now()
  }

  plan(steps: number, expectedMs: number): void {
    this.#stepsTotal += steps
    this.#expectedMsTotal += expectedMs
  }

  begin(text: string): void {
    this.#text = text
    this.#show(text)
  }

  /** A detail of the step that was begun; elsewhere than on a terminal at most one in 5 seconds. */
  say(detail: string): void {
    const nowMs = this.#now()
    if (!this.#out.isTTY && nowMs - this.#saidMs < 5_000) return
    this.#saidMs = nowMs
    this.#show(`${this.#text}: ${detail}`)
  }

  done(expectedMs: number): void {
    this.#stepsDone += 1
    this.#expectedMsDone += expectedMs
  }

  /** Clears the line, so that what is written next stands by itself. */
  end(): void {
    if (this.#out.isTTY) this.#out.write('\r\x1b[K')
  }

  #show(text: string): void {
    const line = `[${this.#stepsDone + 1}/${this.#stepsTotal}] ${text}${this.#remaining()}`
    if (!this.#out.isTTY) {
      this.#out.write(`${line}\n`)
      return
    }
    const columns = Math.max(20, (this.#out.columns ?? 100) - 1)
    this.#out.write(`\r\x1b[K${line.slice(0, columns)}`)
  }

  #remaining(): string {
    if (this.#stepsDone === 0) return ''
    // How much longer a step took than expected does not grow with its seconds: it is loads and checks.
    const elapsedMs = this.#now() - this.#startedMs
    const excessMs = Math.max(0, elapsedMs - this.#expectedMsDone) / this.#stepsDone
    const expectedMsLeft = this.#expectedMsTotal - this.#expectedMsDone
    const stepsLeft = this.#stepsTotal - this.#stepsDone
    const seconds = (expectedMsLeft + stepsLeft * excessMs) / 1000
    return seconds < 90
      ? `, about ${Math.ceil(seconds)} s left`
      : `, about ${Math.ceil(seconds / 60)} min left`
  }
}
