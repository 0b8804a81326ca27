// SPDX-License-Identifier: Apache-2.0
import type { Statement } from '../../../parser/ast.ts'
import type { Parser } from '../../../parser/parser.ts'
import { JsonSource, noteSource, type Parameters, sourceOf } from '../../../planner/planner.ts'
import { andThen, type MaybePromise } from '../../../storage/storage.ts'
import { limitExceeded, ServerError, StatementFailure } from '../../errors/server-error.ts'
import type { Turns } from '../../guard/budgets/turns.ts'
import { ALL_LIMITS } from '../../limits.ts'
import { PreparedScript } from './prepared-script.ts'
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
  noteParameters(request)
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
  if (request.sql !== undefined) {
    // What is wrong with them is told first.
    noteParameters(request)
    checkedParameters(request.params)
    const parsed = parsedText(parser, request.sql, turns)
    return andThen(parsed, (statements) => preparedText(request, statements))
  }
  const { statements } = request
  noteList(request, statements)
  const { statementsMax } = ALL_LIMITS
  if (statements.length > statementsMax) {
    throw limitExceeded('statementsMax', statementsMax, statements.length, 'Statements')
  }
  const texts: Array<readonly Statement[]> = []
  parseUntilDue(parser, statements, texts, turns)
  return texts.length === statements.length
    ? PreparedScript.ofList(texts)
    : parseRest(parser, statements, texts, turns)
}

/** The script of a request whose texts are all known; undefined for any other. */
export function knownRequest(
  parser: Pick<Parser, 'knownScript'>,
  { sql, statements = [] }: QueryRequest,
): PreparedScript | undefined {
  if (sql !== undefined) {
    const known = parser.knownScript(sql)
    return known && PreparedScript.of(known)
  }
  const texts = []
  for (const statement of statements) {
    const known = parser.knownScript(statement.sql)
    if (known === undefined) return undefined
    texts.push(known)
  }
  return PreparedScript.ofList(texts)
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
  texts: Array<readonly Statement[]>,
  turns: Turns,
): Promise<PreparedScript> {
  while (texts.length < statements.length) {
    await turns.pause()
    parseUntilDue(parser, statements, texts, turns)
  }
  return PreparedScript.ofList(texts)
}

/** Adds to `texts` as many of the statements that follow as one turn has time for. */
function parseUntilDue(
  parser: Parser,
  statements: readonly StatementWithParameters[],
  texts: Array<readonly Statement[]>,
  turns: Turns,
): void {
  while (texts.length < statements.length) {
    const index = texts.length
    try {
      texts.push(parseEntry(parser, statements[index] as StatementWithParameters))
    } catch (error) {
      throw new StatementFailure(index, error)
    }
    if (turns.isDue) return
  }
}

function parseEntry(
  parser: Parser,
  { sql, params }: StatementWithParameters,
): readonly Statement[] {
  const parameters = checkedParameters(params)
  const script = parser.parseScript(sql)
  if (script.length !== 1) {
    const detail = 'Each element of "statements" holds exactly one statement.'
    throw new ServerError('invalid_request', detail)
  }
  requireParametersUsed(parameters, PreparedScript.of(script))
  return script
}

type WithParameters = { readonly sql?: string | undefined; readonly params?: Parameters }

/** As `noteParameters`, of each statement of a list. */
function noteList(request: QueryRequest, statements: readonly StatementWithParameters[]): void {
  const source = sourceOf(request)
  if (source === undefined) return
  let names = namesIn(request)
  for (const statement of statements) names += namesIn(statement)
  const isPlain = source.nameCount === names
  if (!isPlain) source.requireNamesOnce()
  const list = source.member('statements')
  for (const [index, statement] of statements.entries()) {
    noteParameters(statement, list.member(index), isPlain)
  }
}

/** All names that it has, where no value is an object: nothing more is looked through then. */
function namesIn(request: WithParameters): number {
  const { params } = request
  const named = params === undefined || Array.isArray(params) ? 0 : Object.keys(params).length
  return Object.keys(request).length + named
}

/**
 * The parameters know where they stand in the body, before anything asks for their digits. Throws PlanError
 * `type_mismatch` for a name that stands twice in what holds them, or in them: one of several would win, and the others
 * be dropped without a word.
 */
export function noteParameters(
  request: WithParameters,
  source: JsonSource | undefined = sourceOf(request),
  isPlain?: boolean,
): void {
  if (source === undefined) return
  const { params } = request
  const isOnce = isPlain ?? source.nameCount === namesIn(request)
  if (!isOnce) source.requireNamesOnce()
  if (params === undefined) return
  const own = source.member('params')
  if (!isOnce && !Array.isArray(params)) own.requireNamesOnce()
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
