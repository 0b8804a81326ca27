// SPDX-License-Identifier: Apache-2.0
import type { Statement } from '../../../parser/ast.ts'
import type { Parameters } from '../../../planner/planner.ts'
import type { Turns } from '../../guard/budgets/turns.ts'
import type { ScriptStatement } from './script.ts'
import { type InnerScript, readInnerScript, readScript, type Script } from './script.ts'
import { keysOfAll, type ParameterKeys } from './unused-parameters.ts'

/** The parser answers the same statements for the same text, so what is found out is forgotten together with them. */
const PREPARED = new WeakMap<readonly Statement[], PreparedScript>()

const NO_PARAMETERS: Parameters = []

/** What takes less is done before it could be put off and woken again. */
const SMALL_MS = 0.5

/** What each run leaves of the longest before it: the first one is planned, and any may meet a garbage collection. */
const LEFT = 3 / 4

/** What statements decide alone: found once for a text, with what its runs have cost. */
export class PreparedScript {
  /** How many statements it has. */
  readonly length: number
  /** Of all parameters that stand in it. */
  readonly keys: ParameterKeys
  readonly #entries: readonly ScriptStatement[]
  #own: Script | undefined
  #inner: InnerScript | undefined
  /** How long the longest turn of its runs took of late; absent before one has come to its end. */
  #longestMs: number | undefined

  constructor(entries: readonly ScriptStatement[]) {
    this.#entries = entries
    this.length = entries.length
    this.keys = keysOfAll(entries.map(({ statement }) => statement))
  }

  /** That of a text, by what the parser has answered for it. */
  static of(statements: readonly Statement[]): PreparedScript {
    let prepared = PREPARED.get(statements)
    if (prepared === undefined) {
      const entries = statements.map((statement) => ({ statement, parameters: NO_PARAMETERS }))
      prepared = new PreparedScript(entries)
      PREPARED.set(statements, prepared)
    }
    return prepared
  }

  /** What it is outside of any transaction; `parameters` are those of a text. Throws as `readScript`. */
  script(parameters?: Parameters, keepOpen = false): Script {
    let script = keepOpen ? undefined : this.#own
    if (script === undefined) {
      script = readScript(this.#entries, keepOpen)
      if (!keepOpen) this.#own = script
    }
    return parameters === undefined ? script : withParameters(script, parameters)
  }

  /** What it is inside an open transaction. Throws as `readInnerScript`. */
  inner(parameters?: Parameters): InnerScript {
    this.#inner ??= readInnerScript(this.#entries)
    return parameters === undefined ? this.#inner : withParameters(this.#inner, parameters)
  }

  /** Whether to put it off would take longer than it does. False for what has never run to its end. */
  get isSmall(): boolean {
    return this.#longestMs !== undefined && this.#longestMs < SMALL_MS
  }

  /** To be called when it has run. */
  ran({ longestMs }: Pick<Turns, 'longestMs'>): void {
    this.#longestMs = Math.max(longestMs, (this.#longestMs ?? 0) * LEFT)
  }
}

function withParameters<S extends Script | InnerScript>(script: S, parameters: Parameters): S {
  if (Array.isArray(parameters) && parameters.length === 0) return script
  const statements = []
  for (const entry of script.statements) statements.push({ ...entry, parameters })
  const begin = 'begin' in script && { begin: { ...script.begin, parameters } }
  return { ...script, statements, ...begin }
}
