// SPDX-License-Identifier: Apache-2.0
import type { ParameterExpression, Statement } from '../../../parser/ast.ts'
import { isClaim, parameterText } from '../../../planner/planner.ts'
import { ServerError, StatementFailure } from '../../errors/server-error.ts'
import { mixture, readScript, type Script, standsAlone } from '../prepared/script.ts'

/**
 * Statements of a script that are one transaction: a BEGIN with all up to its COMMIT, GRANTs and REVOKEs that follow
 * each other, or one alone.
 */
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
 * The parts of a script in their order, decided before anything runs. What is done already, up to `from`, is of no part
 * with what follows it, unless that is inside of a BEGIN. Throws StatementFailure `script_mixture`,
 * `transaction_not_closed`, and `invalid_request` for a value that no statement of its part has read, by the number of
 * the statement in the script.
 */
export function partsOf(statements: readonly Statement[], from: number): ScriptPart[] {
  const parts: ScriptPart[] = []
  let first = 0
  while (first < statements.length) {
    const part = statements.slice(first, endOf(statements, first, from))
    const end = statements[first + part.length]?.position.offset
    parts.push({ first, statements: part, script: scriptOf(part, first), end })
    requireValues(part, first)
    first += part.length
  }
  return parts
}

/** The number of the statement after the part that begins with this one. */
function endOf(statements: readonly Statement[], first: number, from: number): number {
  const begin = statements[first]
  if (changesRights(begin)) {
    const other = statements.findIndex(
      (each, index) => index > first && (index === from || !changesRights(each)),
    )
    return other < 0 ? statements.length : other
  }
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

/** Of those that follow each other nobody meets a role between the right of before and the one in its place. */
function changesRights(statement: Statement | undefined): boolean {
  return statement?.kind === 'grant' || statement?.kind === 'revoke'
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

/** A script has no parameters: each name is that of a value which a statement of the same part has read INTO before. */
function requireValues(part: readonly Statement[], first: number): void {
  const known = new Set<string>()
  for (const [index, statement] of part.entries()) {
    const unknown = unknownParameter(statement, known)
    if (unknown !== undefined) throw new StatementFailure(first + index, unknownValue(unknown))
    const read = statement.kind === 'explain' ? statement.statement : statement
    if ('into' in read) for (const { text } of read.into?.names ?? []) known.add(text)
  }
}

/** Looks through a tree, which is as deep as the parser lets it be. */
function unknownParameter(
  node: unknown,
  known: ReadonlySet<string>,
): ParameterExpression | undefined {
  if (typeof node !== 'object' || node === null || node instanceof Uint8Array) return undefined
  if ('kind' in node && node.kind === 'parameter') {
    const parameter = node as ParameterExpression
    return isClaim(parameter.key) || known.has(String(parameter.key)) ? undefined : parameter
  }
  for (const part of Object.values(node)) {
    const found = unknownParameter(part, known)
    if (found !== undefined) return found
  }
  return undefined
}

function unknownValue({ key, position }: ParameterExpression): ServerError {
  const { line, column } = position
  const name = parameterText(key)
  return new ServerError(
    'invalid_request',
    `There is no value for ${name}: a script has no parameters.`,
    {
      line,
      column,
      parameter: String(key),
      hint: 'Write the value itself. A value that a statement reads INTO a name is known up to the COMMIT of the same BEGIN.',
    },
  )
}
