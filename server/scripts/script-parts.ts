// SPDX-License-Identifier: Apache-2.0
import type { Statement } from '../../parser/ast.ts'
import { ServerError, StatementFailure } from '../errors/server-error.ts'
import { mixture, readScript, type Script, standsAlone } from '../requests/script.ts'

/** Statements of a script that are one transaction: a BEGIN with all up to its COMMIT, or one alone. */
export type ScriptPart = {
  /** The number of its first statement in the script. */
  readonly first: number
  readonly statements: readonly Statement[]
  readonly script: Exclude<Script, { readonly kind: 'open' }>
  /** Where the next part begins in the text; undefined for the last one. */
  readonly end: number | undefined
}

/** Scripts have no parameters. */
const NO_PARAMETERS = [] as const

/**
 * The parts of a script in their order, decided before anything runs. Throws StatementFailure `script_mixture` and
 * `transaction_not_closed`, by the number of the statement in the script.
 */
export function partsOf(statements: readonly Statement[]): ScriptPart[] {
  const parts: ScriptPart[] = []
  let first = 0
  while (first < statements.length) {
    const part = statements.slice(first, endOf(statements, first))
    const end = statements[first + part.length]?.position.offset
    parts.push({ first, statements: part, script: scriptOf(part, first), end })
    first += part.length
  }
  return parts
}

/** The number of the statement after the part that begins with this one. */
function endOf(statements: readonly Statement[], first: number): number {
  const begin = statements[first]
  if (isOfExplainedScript(begin)) {
    const other = statements.findIndex((each, index) => index > first && !isOfExplainedScript(each))
    return other < 0 ? statements.length : other
  }
  if (begin?.kind !== 'begin') return first + 1
  for (const [index, statement] of statements.entries()) {
    if (index <= first) continue
    if (statement.kind === 'commit' || statement.kind === 'rollback') return index + 1
    if (!standsAlone(statement)) continue
    const detail =
      'CREATE, ALTER, DROP, ROTATE, GRANT and REVOKE stand alone, outside of BEGIN and COMMIT.'
    throw mixture(index, { statement }, detail)
  }
  const { line, column } = begin.position
  const error = new ServerError('transaction_not_closed', 'This BEGIN has no COMMIT after it.', {
    line,
    column,
  })
  throw new StatementFailure(first, error)
}

/** What one EXPLAIN SCRIPT explains is one transaction, as its variables and what ANALYZE writes need it. */
function isOfExplainedScript(statement: Statement | undefined): boolean {
  return statement?.kind === 'explain' && statement.script === true
}

function scriptOf(part: readonly Statement[], first: number): ScriptPart['script'] {
  try {
    const script = readScript(part.map((statement) => ({ statement, parameters: NO_PARAMETERS })))
    if (script.kind === 'open') throw new Error('A part that begins with BEGIN has its end.')
    return script
  } catch (error) {
    throw inScript(error, first)
  }
}

/** An error of a part, whose statements are numbered from the first of the script. */
export function inScript(error: unknown, first: number): unknown {
  if (!(error instanceof StatementFailure)) return error
  return new StatementFailure(first + error.statement, error.cause)
}
