// SPDX-License-Identifier: Apache-2.0
import type { Statement } from '../../../parser/ast.ts'
import type { Parser } from '../../../parser/parser.ts'
import { JsonSource, noteSource, type Parameters, sourceOf } from '../../../planner/planner.ts'
import { andThen, type MaybePromise } from '../../../storage/storage.ts'
import { limitExceeded, ServerError, StatementFailure } from '../../errors/server-error.ts'
import type { Turns } from '../../guard/budgets/turns.ts'
import { ALL_LIMITS } from '../../limits.ts'
import { PreparedScript } from './prepared-script.ts'
import type { ScriptStatement } from './script.ts'
import { requireParametersUsed } from './unused-parameters.ts'

/** `QueryRequest` and `TransactionQueryRequest` of `openapi.yaml`, both forms in one. */
export type QueryRequest = QueryOptions &
  (
    | { readonly sql: string; readonly params?: Parameters; readonly statements?: undefined }
    | { readonly statements: readonly StatementWithParameters[]; readonly sql?: undefined }
  )

export type QueryOptions = {
  readonly transaction?: string
  /** BEGIN and what follows it open a transaction over several requests. */
  readonly keepOpen?: boolean
  readonly cursor?: string
  readonly pageSize?: number
  readonly integers?: 'number' | 'string'
  readonly timeoutMs?: number
  /** Reads the past: a stamp or an ISO time. */
  readonly asOf?: unknown
  /** The history that the stamps of the request are of, as far as its client knows. */
  readonly history?: string
  /** The snapshot has to be this new. */
  readonly minTimestamp?: number
}

type StatementWithParameters = { readonly sql: string; readonly params?: Parameters }

const NO_PARAMETERS: Parameters = []

/** Characters of a text that is parsed in a fraction of a turn. */
const SHORT_TEXT = 4_096

/**
 * The script of a request of this text, still without its parameters, which are looked at. Throws `limit_exceeded`,
 * `invalid_request` and PlanError `type_mismatch`.
 */
export function preparedText(
  request: QueryRequest & { readonly sql: string },
  statements: readonly Statement[],
): PreparedScript {
  noteSources(request)
  const prepared = PreparedScript.of(statements)
  const { params } = request
  if (params !== undefined) requireParametersUsed(checkedParameters(params), prepared)
  return prepared
}

/**
 * The script of the request: as `preparedText`, or that of its statements, each with its own parameters. Everything is
 * parsed before anything runs, many texts and long ones in several turns. Throws ParseError, alone or inside
 * StatementFailure, and as `preparedText`.
 */
export function preparedRequest(
  parser: Parser,
  request: QueryRequest,
  turns: Turns,
): MaybePromise<PreparedScript> {
  noteSources(request)
  if (request.sql !== undefined) {
    // What is wrong with them is told first.
    checkedParameters(request.params)
    const parsed = parsedText(parser, request.sql, turns)
    return andThen(parsed, (statements) => preparedText(request, statements))
  }
  const { statements } = request
  const { statementsMax } = ALL_LIMITS
  if (statements.length > statementsMax) {
    throw limitExceeded('statementsMax', statementsMax, statements.length, 'Statements')
  }
  const script: ScriptStatement[] = []
  parseUntilDue(parser, statements, script, turns)
  return script.length === statements.length
    ? new PreparedScript(script)
    : parseRest(parser, statements, script, turns)
}

/** The statements of one text; those of a long one are parsed in several turns. Throws ParseError. */
export function parsedText(
  parser: Parser,
  sql: string,
  turns: Turns,
): MaybePromise<readonly Statement[]> {
  return sql.length <= SHORT_TEXT ? parser.parseScript(sql) : parsedInTurns(parser, sql, turns)
}

async function parsedInTurns(
  parser: Parser,
  sql: string,
  turns: Turns,
): Promise<readonly Statement[]> {
  const parts = parser.parseInParts(sql)
  for (;;) {
    const part = parts.next()
    if (part.done) return part.value
    if (turns.isDue) await turns.pause()
  }
}

/** The rest over several turns; each parses some. */
async function parseRest(
  parser: Parser,
  statements: readonly StatementWithParameters[],
  script: ScriptStatement[],
  turns: Turns,
): Promise<PreparedScript> {
  while (script.length < statements.length) {
    await turns.pause()
    parseUntilDue(parser, statements, script, turns)
  }
  return new PreparedScript(script)
}

/** Adds to `script` as many of the statements that follow it as one turn has time for. */
function parseUntilDue(
  parser: Parser,
  statements: readonly StatementWithParameters[],
  script: ScriptStatement[],
  turns: Turns,
): void {
  while (script.length < statements.length) {
    const index = script.length
    try {
      script.push(parseEntry(parser, statements[index] as StatementWithParameters))
    } catch (error) {
      throw new StatementFailure(index, error)
    }
    if (turns.isDue) return
  }
}

function parseEntry(parser: Parser, { sql, params }: StatementWithParameters): ScriptStatement {
  const parameters = checkedParameters(params)
  const script = parser.parseScript(sql)
  const [statement] = script
  if (statement === undefined || script.length > 1) {
    const detail = 'Each element of "statements" holds exactly one statement.'
    throw new ServerError('invalid_request', detail)
  }
  requireParametersUsed(parameters, PreparedScript.of(script))
  return { statement, parameters }
}

/** All parameters know where they stand in the body, before anything asks for their digits. */
function noteSources(request: QueryRequest): void {
  const source = sourceOf(request)
  if (source === undefined) return
  if (request.statements === undefined) {
    noteParameters(request, source)
    return
  }
  source.requireNamesOnce()
  const list = source.member('statements')
  for (const [index, statement] of request.statements.entries()) {
    noteParameters(statement, list.member(index))
  }
}

/**
 * The parameters know where they stand. Throws PlanError `type_mismatch` for a name that stands twice in what holds
 * them, or in them: one of several would win, and the others be dropped without a word.
 */
export function noteParameters(
  request: { readonly params?: Parameters },
  source: JsonSource,
): void {
  const { params } = request
  const named = params === undefined || Array.isArray(params) ? 0 : Object.keys(params).length
  // All that a body has, where no value is an object: nothing more is looked through.
  const isPlain = source.nameCount === Object.keys(request).length + named
  if (!isPlain) source.requireNamesOnce()
  if (params === undefined) return
  const own = source.member('params')
  if (!isPlain && named > 0) own.requireNamesOnce()
  noteSource(params, own)
}

/**
 * Parameters that stand in a query string, where they are JSON text; undefined for JSON that is neither
 * array nor object. Throws `invalid_request`.
 */
export function parametersOfText(text: string): Parameters | undefined {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw new ServerError('invalid_request', 'params is not JSON.', {}, { cause })
  }
  if (typeof json !== 'object' || json === null) return undefined
  const source = JsonSource.of(text)
  if (!Array.isArray(json)) source.requireNamesOnce()
  return noteSource(json, source) as Parameters
}

/** Throws `limit_exceeded`. */
export function checkedParameters(params: Parameters | undefined): Parameters {
  if (params === undefined) return NO_PARAMETERS
  const count = Array.isArray(params) ? params.length : Object.keys(params).length
  const { parametersMax } = ALL_LIMITS
  if (count > parametersMax)
    throw limitExceeded('parametersMax', parametersMax, count, 'Parameters')
  return params
}
