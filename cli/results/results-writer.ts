// SPDX-License-Identifier: Apache-2.0
import type { Page, StatementResult } from '../../client-sdk/client.ts'
import { viewOf } from './result-view.ts'
import type { Mode, ResultView, ViewOptions } from './view.ts'

/** Shows what one request was answered: a SCAN by the page, or the results of several statements one after another. */
export class ResultsWriter {
  readonly #modeOf: (result: StatementResult) => Mode
  readonly #options: ViewOptions
  readonly #write: (text: string) => unknown
  /** Of the last result, to which more pages may belong. */
  #view: ResultView | undefined

  /** `modeOf` says how a result is shown, by its first page. */
  constructor(
    modeOf: (result: StatementResult) => Mode,
    options: ViewOptions,
    write: (text: string) => unknown,
  ) {
    this.#modeOf = modeOf
    this.#options = options
    this.#write = write
  }

  page({ results }: Pick<Page, 'results'>): void {
    for (const [index, result] of results.entries()) {
      if (index > 0) this.#next(result)
      this.#show(result)
    }
  }

  /** After the last page. */
  end(note?: string): void {
    this.#write(this.#view?.end(note) ?? '')
    this.#view = undefined
  }

  #next(result: StatementResult): void {
    this.end()
    if (FOR_PEOPLE.has(this.#modeOf(result))) this.#write('\n')
  }

  #show(result: StatementResult): void {
    this.#view ??= viewOf(this.#modeOf(result), this.#options)
    this.#write(this.#view.page(result))
  }
}

const FOR_PEOPLE: ReadonlySet<Mode> = new Set(['table', 'expanded'])
