// SPDX-License-Identifier: Apache-2.0
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Environment } from '../../cli/command.ts'
import { runCommandLine } from '../../cli/run-command-line.ts'

/** Longer than anything here takes. */
const WAIT_MS_MAX = 20_000

/** A command at a terminal that is none: streams that say they are one. */
export class Terminal {
  readonly code: Promise<number | undefined>
  readonly #input = Object.assign(new PassThrough(), { isTTY: true })
  readonly #output: PassThrough & { isTTY: boolean; columns: number; rows: number }
  #shown = ''
  /** Where what has been waited for ends. */
  #at = 0

  constructor(
    args: readonly string[],
    options: {
      readonly environment?: Environment
      readonly columns?: number
      readonly rows?: number
    } = {},
  ) {
    const { environment = {}, columns = 100, rows = 40 } = options
    this.#output = Object.assign(new PassThrough(), { isTTY: true, columns, rows })
    this.#output.on('data', (part: Buffer) => {
      this.#shown += part.toString()
    })
    this.code = runCommandLine(args, environment, {
      input: this.#input,
      output: this.#output,
      errors: this.#output,
    })
  }

  /** What is on the screen, without what moves the cursor. */
  get text(): string {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: sequences of a terminal begin with one.
    return this.#shown.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, '').replaceAll('\r\n', '\n')
  }

  /** As it was written, with all that a terminal obeys. */
  get raw(): string {
    return this.#shown
  }

  type(keys: string): void {
    this.#input.write(keys)
  }

  /** Types a line, and resolves when the text is shown that was waited for. */
  async line(text: string, awaited: string | RegExp = 'percolite> '): Promise<string> {
    this.type(`${text}\n`)
    return await this.until(awaited)
  }

  /** Resolves to what has been shown since the last time, up to the awaited text. */
  async until(awaited: string | RegExp): Promise<string> {
    const deadline = performance.now() + WAIT_MS_MAX
    for (;;) {
      const rest = this.text.slice(this.#at)
      const found = typeof awaited === 'string' ? rest.indexOf(awaited) : rest.search(awaited)
      if (found >= 0) {
        const length =
          typeof awaited === 'string' ? awaited.length : (rest.match(awaited)?.[0].length ?? 0)
        this.#at += found + length
        return rest.slice(0, found)
      }
      if (performance.now() > deadline) throw new Error(`"${awaited}" was not shown, but: ${rest}`)
      await sleep(5)
    }
  }
}
