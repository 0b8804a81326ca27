// SPDX-License-Identifier: Apache-2.0
import type { Page } from '../../../client-sdk/client.ts'
import type { Screen } from '../screen.ts'
import type { Session } from '../session.ts'
import type { StatementReader } from '../statement-reader.ts'

/** What commands use of a shell. */
export type ShellForCommands = {
  readonly session: Session
  readonly screen: Screen
  readonly reader: StatementReader
  readonly isInteractive: boolean
  /** Aborted when the command is to stop. */
  readonly signal: AbortSignal
  /** The text that was run last; empty before the first. */
  readonly last: string
  /** Set to leave the shell. */
  isLeft: boolean
  /** Opens an editor; undefined where there is no terminal for it. */
  readonly edit: ((text: string) => string) | undefined
  run(sql: string): Promise<void>
  show(pages: AsyncIterable<Pick<Page, 'results' | 'hasMore'>>): Promise<void>
  /** Rows that are no statement's, by the names of their columns. */
  showRows(names: readonly string[], rows: ReadonlyArray<readonly unknown[]>): Promise<void>
  runFile(path: string): Promise<void>
}

/** A command of the shell itself: its name with the backslash, what stands behind it, and its line of help. */
export type BackslashCommand = {
  readonly name: string
  readonly usage: string
  readonly help: string
  /** Which of the words behind it is a table, from 1, for completion. */
  readonly tableAt?: number
  /** Rejects with what went wrong, as Error or PercoliteError. */
  run(shell: ShellForCommands, rest: string): Promise<void>
}

/** A name of a file or a table without the quotes that let it have blanks. */
export function unquoted(word: string): string {
  const [, quote, text] = /^(['"])(.+)\1$/s.exec(word) ?? []
  return quote === undefined || text === undefined ? word : text.replaceAll(quote + quote, quote)
}

/** The text that was run last. Throws where there is none. */
export function lastText({ last }: ShellForCommands): string {
  if (last === '') throw new Error('Nothing was run so far.')
  return last
}

/** The same without its `;`. */
export function lastStatement(shell: ShellForCommands): string {
  return lastText(shell).replace(/;\s*$/, '')
}
