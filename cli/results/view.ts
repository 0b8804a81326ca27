// SPDX-License-Identifier: Apache-2.0
import type { StatementResult } from '../../client-sdk/client.ts'

/** How results are shown. */
export const MODES = ['table', 'expanded', 'json', 'ndjson', 'csv', 'line', 'markdown'] as const

export type Mode = (typeof MODES)[number]

export type ViewOptions = {
  /** Whether the terminal takes colours. */
  readonly hasColor: boolean
  /** Rows alone, without how many they were. */
  readonly isQuiet: boolean
}

/** The text of the result of one statement, a page after the other. */
export type ResultView = {
  page(result: StatementResult): string
  /** What stands behind the last page; with a note, such as the time that it took. */
  end(note?: string): string
}
