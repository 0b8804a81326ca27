// SPDX-License-Identifier: Apache-2.0
import type { Statement } from '../../../parser/ast.ts'
import type { Parameters } from '../../../planner/planner.ts'
import type { Turns } from '../../guard/budgets/turns.ts'
import type { ScriptStatement } from './script.ts'
import { type InnerScript, readInnerScript, readScript, type Script } from './script.ts'
import { keysOfAll, type ParameterKeys } from './unused-parameters.ts'

type Text = readonly Statement[]

/** The parser answers the same statements for the same text, so what is found out is forgotten together with them. */
const PREPARED = new WeakMap<Text, PreparedScript>()

const NO_PARAMETERS: Parameters = []
const NO_KEYS: ParameterKeys = new Set()

/** Statements of a list that is remembered with its first text. */
const REMEMBERED_LIST_MAX = 100

/** The values of a request: those of its text, or those of each statement of its list. */
type Given = {
  readonly params?: Parameters | undefined
  readonly statements?: ReadonlyArray<{ readonly params?: Parameters }> | undefined
}

/** What takes less is done before it could be put off and woken again. */
const SMALL_MS = 0.5

/** What each run leaves of the longest before it: the first one is planned, and any may meet a garbage collection. */
const LEFT = 3 / 4

/** What statements decide alone: found once for a text, with what its runs have cost. */
export class PreparedScript {
  /** How many statements it has. */
  readonly length: number
  /** Of all parameters that stand in it, where it is a text; each text of a list has its own. */
  readonly keys: ParameterKeys
  readonly #entries: readonly ScriptStatement[]
  /** The list of several texts that began with this one last. */
  #list: { readonly texts: readonly Text[]; readonly prepared: PreparedScript } | undefined
  #own: Script | undefined
  #inner: InnerScript | undefined
  /** How long the longest turn of its runs took of late; absent before one has come to its end. */
  #longestMs: number | undefined

  private constructor(statements: readonly Statement[], keys: ParameterKeys = NO_KEYS) {
    this.#entries = statements.map((statement) => ({ statement, parameters: NO_PARAMETERS }))
    this.length = statements.length
    this.keys = keys
  }

  /** That of a text, by what the parser has answered for it. */
  static of(statements: Text): PreparedScript {
    let prepared = PREPARED.get(statements)
    if (prepared === undefined) {
      prepared = new PreparedScript(statements, keysOfAll(statements))
      PREPARED.set(statements, prepared)
    }
    return prepared
  }

  /** That of a list of texts, by what the parser has answered for each. */
  static ofList(texts: readonly Text[]): PreparedScript {
    const [text] = texts
    if (text === undefined || texts.length > REMEMBERED_LIST_MAX) {
      return new PreparedScript(texts.flat())
    }
    const first = PreparedScript.of(text)
    if (texts.length === 1) return first
    const list = first.#list
    if (list?.texts.length === texts.length && list.texts.every((one, i) => one === texts[i])) {
      return list.prepared
    }
    const prepared = new PreparedScript(texts.flat())
    first.#list = { texts, prepared }
    return prepared
  }

  /** What it is outside of any transaction. Throws as `readScript`. */
  script(given: Given, keepOpen = false): Script {
    let script = keepOpen ? undefined : this.#own
    if (script === undefined) {
      script = readScript(this.#entries, keepOpen)
      if (!keepOpen) this.#own = script
    }
    return withParameters(script, given)
  }

  /** What it is inside an open transaction. Throws as `readInnerScript`. */
  inner(given: Given): InnerScript {
    this.#inner ??= readInnerScript(this.#entries)
    return withParameters(this.#inner, given)
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

function withParameters<S extends Script | InnerScript>(script: S, given: Given): S {
  const { params = NO_PARAMETERS, statements: list } = given
  if (list === undefined && Array.isArray(params) && params.length === 0) return script
  const { begin } = script as { readonly begin?: object }
  const before = begin === undefined ? 0 : 1
  const statements: ScriptStatement[] = []
  for (const entry of script.statements) {
    const own: Parameters | undefined =
      list === undefined ? params : list[before + statements.length]?.params
    statements.push({ ...entry, parameters: own ?? NO_PARAMETERS })
  }
  if (begin === undefined) return { ...script, statements }
  const parameters = list === undefined ? params : (list[0]?.params ?? NO_PARAMETERS)
  return { ...script, statements, begin: { ...begin, parameters } }
}
