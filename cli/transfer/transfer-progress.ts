// SPDX-License-Identifier: Apache-2.0
import type { Output } from '../command.ts'

const TERMINAL_MS = 250
const LINE_MS = 5_000

/** Tells how far a transfer is: on a terminal in one line that is written again, else in a line every five seconds. */
export class TransferProgress {
  /** Rows that are done. */
  rows = 0
  /** Bytes of the files that have been read or written. */
  bytes = 0

  readonly #output: Output
  readonly #bytesTotal: number | undefined
  readonly #startedMs = performance.now()
  readonly #timer: NodeJS.Timeout

  /** `bytesTotal` is undefined where nobody knows it. */
  constructor(output: Output, bytesTotal?: number) {
    this.#output = output
    this.#bytesTotal = bytesTotal
    this.#timer = setInterval(() => this.#tell(), output.isTTY ? TERMINAL_MS : LINE_MS)
    this.#timer.unref()
  }

  get seconds(): number {
    return Math.round(performance.now() - this.#startedMs) / 1000
  }

  /** After it nothing more is written, and the line of a terminal is empty again. */
  end(): void {
    clearInterval(this.#timer)
    if (this.#output.isTTY) this.#output.write('\r\u001b[K')
  }

  #tell(): void {
    const line = progressText(this, this.#bytesTotal)
    this.#output.write(this.#output.isTTY ? `\r${line}\u001b[K` : `${line}\n`)
  }
}

/** `12000 rows, 4000 rows/s, 1.5 of 4.0 MiB, 5 s left`. */
export function progressText(
  { rows, bytes, seconds }: Pick<TransferProgress, 'rows' | 'bytes' | 'seconds'>,
  bytesTotal: number | undefined,
): string {
  const rate = seconds === 0 ? 0 : Math.round(rows / seconds)
  const done = (bytes / 2 ** 20).toFixed(1)
  const told = `${rows} rows, ${rate} rows/s, ${done}`
  if (bytesTotal === undefined) return `${told} MiB`
  const total = (bytesTotal / 2 ** 20).toFixed(1)
  if (bytes === 0) return `${told} of ${total} MiB`
  const left = Math.ceil((seconds * Math.max(0, bytesTotal - bytes)) / bytes)
  return `${told} of ${total} MiB, ${left} s left`
}
