// SPDX-License-Identifier: Apache-2.0
import { closeSync, openSync, writeSync } from 'node:fs'
import type { Page, StatementResult } from '../../client-sdk/client.ts'
import type { Output } from '../command.ts'
import { failureView } from '../results/failure-view.ts'
import { ResultsWriter } from '../results/results-writer.ts'
import { tableWidth } from '../results/table-views.ts'
import type { Mode, ViewOptions } from '../results/view.ts'
import { Pager } from './pager.ts'

export type ScreenDependencies = {
  readonly output: Output
  readonly errors: Output
  readonly view: ViewOptions
  readonly mode: Mode
  /** The command of a pager; undefined where none is to be used. */
  readonly pager: string | undefined
  /** Asks, at the end of a page, whether the next one is to be shown. */
  readonly askForMore: (signal: AbortSignal) => Promise<boolean>
}

/** Where results go, and in which form. */
export class Screen {
  mode: Mode
  /** `auto`: where a table is wider than the terminal. */
  expanded: 'on' | 'off' | 'auto' = 'auto'
  isTiming: boolean
  readonly #deps: ScreenDependencies
  #file: { readonly descriptor: number; readonly path: string } | undefined

  constructor(deps: ScreenDependencies) {
    this.#deps = deps
    this.mode = deps.mode
    this.isTiming = deps.output.isTTY === true
  }

  /** Where to say what went wrong, and how far something is. */
  get errors(): Output {
    return this.#deps.errors
  }

  get isTerminal(): boolean {
    return this.#deps.output.isTTY === true && this.#file === undefined
  }

  /** Results go to this file from now on; to where they went before without a path. Throws as opening a file does. */
  writeTo(path: string | undefined): void {
    const descriptor = path === undefined ? undefined : openSync(path, 'w', 0o600)
    this.close()
    if (descriptor !== undefined) this.#file = { descriptor, path: path as string }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file.descriptor)
    this.#file = undefined
  }

  /** What is said to people, whatever becomes of results. */
  say(text: string): void {
    this.#deps.output.write(text)
  }

  fail(error: unknown, sql: string, place = ''): void {
    this.errors.write(place + failureView(error, sql))
  }

  /** Shows pages until they end, or nobody wants more of them. Rejects as they do. */
  async show(
    pages: AsyncIterable<Pick<Page, 'results' | 'hasMore'>>,
    signal: AbortSignal,
  ): Promise<void> {
    const beganMs = performance.now()
    const pager = new Pager(this.isTerminal ? this.#deps.pager : undefined, this.#deps.output)
    const write = (text: string) =>
      this.#file === undefined ? pager.write(text) : this.#keep(text)
    const modeOf = (result: StatementResult) => this.#modeFor(result)
    const writer = new ResultsWriter(modeOf, this.#deps.view, write)
    try {
      for await (const page of pages) {
        writer.page(page)
        await pager.drained()
        if (pager.isLeft) break
        const asks = page.hasMore && this.isTerminal && !pager.isRunning
        if (asks && !(await this.#deps.askForMore(signal))) break
      }
      writer.end(this.isTiming ? `${(performance.now() - beganMs).toFixed(1)} ms` : undefined)
    } finally {
      await pager.end()
    }
  }

  #keep(text: string): void {
    if (text !== '' && this.#file !== undefined) writeSync(this.#file.descriptor, text)
  }

  #modeFor(result: StatementResult): Mode {
    if (this.mode !== 'table' || this.expanded === 'off') return this.mode
    if (this.expanded === 'on') return 'expanded'
    // A terminal that does not know its width says 0.
    const columns = this.#deps.output.columns || Number.POSITIVE_INFINITY
    return this.isTerminal && tableWidth(result) > columns ? 'expanded' : 'table'
  }
}
