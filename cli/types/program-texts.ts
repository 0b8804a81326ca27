// SPDX-License-Identifier: Apache-2.0
import { programTokens, type Token } from './program-tokens.ts'

/** A text of a program that is given to the client as a statement. */
export type ProgramText = {
  readonly sql: string
  /** Of a template, whose text the compiler does not know: it can be checked, and has no type. */
  readonly isTemplate: boolean
  readonly offset: number
}

const METHODS = new Set(['query', 'scan', 'page', 'live', 'subscribe'])
const HOOK = 'useLive'

/**
 * The statements of a program of TypeScript or JavaScript: whole texts that are the first argument of `.query(…)`,
 * `.scan(…)`, `.page(…)`, `.live(…)` and `.subscribe(…)`, or the second one of `useLive(…)`, and templates after
 * `.sql`. Texts that are put together are none. `mayHaveJsx` says that the elements of a page may stand in it.
 */
export function textsIn(source: string, mayHaveJsx: boolean): readonly ProgramText[] {
  const tokens = programTokens(source, mayHaveJsx)
  return tokens.flatMap((_, at) => textAt(tokens, at) ?? [])
}

/** What the call is given whose name is the token at `at`. */
function textAt(tokens: readonly Token[], at: number): ProgramText | undefined {
  const { kind, text } = tokens[at] as Token
  if (kind !== 'word') return undefined
  const isMember = ['.', '?.'].includes(markAt(tokens, at - 1) ?? '')
  const next = afterTypes(tokens, at + 1)
  if (isMember && text === 'sql') return templateAt(tokens[next])
  if (markAt(tokens, next) !== '(') return undefined
  if (isMember && METHODS.has(text)) return argumentAt(tokens, next + 1)
  return !isMember && text === HOOK
    ? argumentAt(tokens, afterArgument(tokens, next + 1))
    : undefined
}

function markAt(tokens: readonly Token[], at: number): string | undefined {
  const token = tokens[at]
  return token?.kind === 'mark' ? token.text : undefined
}

/** Where `<…>` ends that begins here; here where there is none. */
function afterTypes(tokens: readonly Token[], at: number): number {
  if (markAt(tokens, at) !== '<') return at
  let depth = 0
  for (let next = at; next < tokens.length; next += 1) {
    const mark = markAt(tokens, next)
    if (mark === '<') depth += 1
    else if (mark === '>') depth -= 1
    else if (mark === ')' || mark === ';') return at
    if (depth === 0) return next + 1
  }
  return at
}

/** Where the next argument begins. */
function afterArgument(tokens: readonly Token[], at: number): number {
  let depth = 0
  for (let next = at; next < tokens.length; next += 1) {
    const mark = markAt(tokens, next) ?? ''
    if (mark === ',' && depth === 0) return next + 1
    if ('([{'.includes(mark) && mark !== '') depth += 1
    if (')]}'.includes(mark) && mark !== '') depth -= 1
    if (depth < 0) return tokens.length
  }
  return tokens.length
}

/** A text that is the whole argument. */
function argumentAt(tokens: readonly Token[], at: number): ProgramText | undefined {
  const token = tokens[at]
  const end = markAt(tokens, at + 1)
  if (token?.kind !== 'text' || (end !== ',' && end !== ')')) return undefined
  return { sql: token.text, isTemplate: false, offset: token.offset }
}

function templateAt(token: Token | undefined): ProgramText | undefined {
  if (token?.parts === undefined) return undefined
  const sql = token.parts.reduce((text, part, index) => `${text}$${index}${part}`)
  return { sql, isTemplate: true, offset: token.offset }
}
