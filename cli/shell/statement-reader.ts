// SPDX-License-Identifier: Apache-2.0
import type { Database, Schemas } from '../../client-sdk/client.ts'

/** A text that is whole, with the number of its first line. */
export type Read =
  | { readonly kind: 'statement' | 'command'; readonly text: string; readonly line: number }
  /** Nothing yet; `expected` is what is missing, where an empty line asked for it. */
  | { readonly kind: 'more'; readonly expected?: readonly string[] }

/** How long the server may take to say whether a text is finished. */
const ANSWER_MS_MAX = 10_000

/**
 * Collects lines until they are a statement: its `;` ends a line, and does not stand in a string, a name or a comment.
 * That is asked of the server, which knows its language, and only of lines that could end one.
 */
export class StatementReader {
  readonly #db: Database
  #lines: string[] = []
  #firstLine = 0
  #line = 0

  constructor(db: Database) {
    this.#db = db
  }

  /** What has been collected, and is not whole. */
  get pending(): string {
    return this.#lines.join('\n')
  }

  get isPending(): boolean {
    return this.#lines.length > 0
  }

  async take(line: string): Promise<Read> {
    this.#line += 1
    if (ABOUT_PENDING.test(line)) return { kind: 'command', text: line.trim(), line: this.#line }
    if (!this.isPending) {
      this.#firstLine = this.#line
      if (line.trim() === '') return { kind: 'more' }
      if (line.trimStart().startsWith('\\'))
        return { kind: 'command', text: line.trim(), line: this.#line }
    }
    this.#lines.push(line)
    const isEmpty = line.trim() === ''
    if (!isEmpty && !MAY_END.test(line)) return { kind: 'more' }
    const { isFinished, isNothing, expected } = await this.#look()
    if (isNothing) {
      this.drop()
      return { kind: 'more' }
    }
    if (isFinished) return this.takeAll()
    return isEmpty ? { kind: 'more', expected } : { kind: 'more' }
  }

  /** What there is, whole or not; a text of nothing but blanks and comments is nothing. */
  takeAll(): Read {
    const text = this.pending
    this.drop()
    return text.trim() === ''
      ? { kind: 'more' }
      : { kind: 'statement', text, line: this.#firstLine }
  }

  drop(): void {
    this.#lines = []
  }

  async #look(): Promise<Looked> {
    try {
      const answer = await this.#db.request<Schemas['Completions']>(
        'POST',
        '/v1/completions',
        { sql: this.pending },
        { timeoutMs: ANSWER_MS_MAX },
      )
      const { unfinished, expected, statements } = answer
      return { isFinished: !unfinished, isNothing: !unfinished && statements === 0, expected }
    } catch {
      // Where it cannot be told, for a text that is too long or without a server, running it says why.
      return { isFinished: this.pending.trimEnd().endsWith(';'), isNothing: false, expected: [] }
    }
  }
}

type Looked = {
  readonly isFinished: boolean
  /** There is nothing but notes. */
  readonly isNothing: boolean
  readonly expected: readonly string[]
}

/** A line that ends a statement, or a comment behind one. */
const MAY_END = /;\s*(?:--.*)?$|\*\/\s*$/
/** Commands about the text that is being written. */
const ABOUT_PENDING = /^\s*\\[geq?]\s*$/
