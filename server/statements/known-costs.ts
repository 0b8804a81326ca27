// SPDX-License-Identifier: Apache-2.0
import type { Statement } from '../../parser/ast.ts'
import type { Parser } from '../../parser/parser.ts'
import type { Turns } from '../budgets/turns.ts'
import type { ScriptStatement } from '../requests/script.ts'

/** What takes less is done before it could be put off and woken again. */
const SMALL_MS = 0.5

/** What each run leaves of the longest before it: the first one is planned, and any may meet a garbage collection. */
const LEFT = 3 / 4

/**
 * How long the longest turn of each known text took of late, by its first statement, which the parser makes for that
 * text and remembers with it.
 */
export class KnownCosts {
  readonly #parser: Pick<Parser, 'knownScript'>
  readonly #longest = new WeakMap<Statement, { ms: number }>()

  constructor(parser: Pick<Parser, 'knownScript'>) {
    this.#parser = parser
  }

  /** Whether to put the text off would take longer than it does. False for what has never run to its end. */
  isSmall(sql: string | undefined): boolean {
    const [first] = (sql && this.#parser.knownScript(sql)) || []
    const longest = first && this.#longest.get(first)
    return longest !== undefined && longest.ms < SMALL_MS
  }

  /** To be called when a text has run whose first statement this is. */
  ran(first: ScriptStatement | undefined, { longestMs }: Pick<Turns, 'longestMs'>): void {
    if (first === undefined) return
    const longest = this.#longest.get(first.statement)
    if (longest === undefined) this.#longest.set(first.statement, { ms: longestMs })
    else longest.ms = Math.max(longestMs, longest.ms * LEFT)
  }
}
