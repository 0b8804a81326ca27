// SPDX-License-Identifier: Apache-2.0
import type { Expression, Statement } from '../../../parser/ast.ts'
import { ParseError, type Parser, shownName, type TokenEdit } from '../../../parser/parser.ts'
import { PlanError } from '../../../planner/planner.ts'
import type { Catalog } from '../../../storage/tables/tables.ts'
import { StatementFailure } from '../../errors/server-error.ts'
import type { Principal } from '../../guard/access/principal.ts'
import type { RowStatement } from '../prepared/script.ts'
import type { StatementDependencies } from './statement-execution.ts'

export type SuggestionDependencies = Pick<StatementDependencies, 'parser' | 'plans' | 'access'>

/**
 * The parser suggests a statement without knowing the tables: whether a WHERE names a key, it cannot tell. The error
 * with the first of the statement, its like as SCAN, as a walk of the whole table, and so on, that has a plan. Where
 * none has, no statement is suggested, and the hint goes on with what is wrong in it.
 */
export async function withRunnableSuggestion(
  error: unknown,
  deps: SuggestionDependencies,
  principal: Principal | undefined,
): Promise<unknown> {
  if (error instanceof StatementFailure) {
    const cause = await withRunnableSuggestion(error.cause, deps, principal)
    return cause === error.cause ? error : new StatementFailure(error.statement, cause)
  }
  if (!(error instanceof ParseError) || error.suggestion === undefined) return error
  const { suggestion, hint } = error
  const catalog = await deps.access.currentCatalog(principal)
  const refusals: unknown[] = []
  const runnable = variantsOf(deps.parser, suggestion, catalog).find((text) => {
    const refusal = refusalOf(text, catalog, deps)
    refusals.push(refusal)
    return refusal === undefined
  })
  if (runnable === suggestion || hint === undefined) return error
  const advice = hint.slice(0, hint.length - suggestion.length)
  return new ParseError(error.code, error.message, error, {
    ...error,
    hint:
      runnable === undefined
        ? advice.replace(/: $/, '. ') +
          reasonOf(refusals, suggested(deps.parser, suggestion)?.statement.kind === 'get')
        : advice + runnable,
    suggestion: runnable,
  })
}

/** What is wrong with a suggestion: of a GET that is no GET, with the same as a SCAN, if that says more. */
function reasonOf(refusals: readonly unknown[], isGet: boolean): string {
  const [own, ...others] = isGet ? [...refusals.slice(1), refusals[0]] : refusals
  const refusal =
    [own, ...others].find((each) => each instanceof PlanError && each.code !== 'unbounded_scan') ??
    own
  if (!(refusal instanceof PlanError || refusal instanceof ParseError)) return ''
  const { message, hint } = refusal
  const sentence = message.endsWith('.') ? message : `${message}.`
  return hint === undefined ? sentence : `${sentence} ${hint}`
}

/** What is suggested, and what it is when it is not explained. */
type Suggested = { readonly text: string; readonly whole: Statement; readonly statement: Statement }

function suggested(parser: Parser, text: string): Suggested | undefined {
  const [whole] = statementsOf(parser, text)
  if (whole === undefined) return undefined
  return { text, whole, statement: whole.kind === 'explain' ? whole.statement : whole }
}

function variantsOf(parser: Parser, text: string, catalog: Catalog): string[] {
  const found = suggested(parser, text)
  if (found === undefined) return [text]
  const scan = scanOf(parser, found)
  const read = scan ?? found
  const orders =
    read.statement.kind === 'scan' ? parser.otherLookupOrders(read.text, read.statement) : []
  const ordered = orders.flatMap((each) => [each, walkOf(parser, suggested(parser, each))])
  return [
    ...[text, scan?.text, walkOf(parser, read)],
    ...[withColumns(parser, found, catalog), withoutKey(parser, found, catalog), ...ordered],
  ].filter((each) => each !== undefined)
}

/** The text with its statement changed; undefined unless it is then the one that is expected. */
function changed(
  parser: Parser,
  { text, whole }: Suggested,
  edits: readonly TokenEdit[],
  expected: Statement,
): string | undefined {
  const all = whole.kind === 'explain' ? { ...whole, statement: expected } : expected
  return parser.rewritten(text, edits, all as Statement)
}

/** GET … WHERE … -> SCAN … WHERE … */
function scanOf(parser: Parser, found: Suggested): Suggested | undefined {
  const { statement } = found
  if (statement.kind !== 'get') return undefined
  const { forUpdate, ...parts } = statement
  const edits = [{ offset: statement.position.offset, text: 'SCAN' }]
  const scan = changed(parser, found, edits, { ...parts, kind: 'scan', groupBy: [], orderBy: [] })
  return scan === undefined ? undefined : suggested(parser, scan)
}

/** ON CONFLICT DO UPDATE SET id = excluded.id, a = excluded.a -> ON CONFLICT DO UPDATE SET a = excluded.a */
function withoutKey(parser: Parser, found: Suggested, catalog: Catalog): string | undefined {
  const { statement: insert } = found
  if (insert.kind !== 'insert' || insert.onConflict?.action.kind !== 'update') return undefined
  const table = catalog.table(insert.table.text)
  const key = new Set(
    table?.primaryKey.map(({ columnId }) => table.columns.find(({ id }) => id === columnId)?.name),
  )
  const { onConflict } = insert
  const { action } = insert.onConflict
  const kept = action.assignments.filter(({ column }) => !key.has(column.text))
  const isWhole = action.assignments.every(({ value }) => isExcluded(value))
  if (kept.length === action.assignments.length || !isWhole) return undefined
  const sets = kept.map(
    ({ column }) => `${shownName(column.text)} = excluded.${shownName(column.text)}`,
  )
  const text =
    kept.length === 0 ? 'ON CONFLICT DO NOTHING' : `ON CONFLICT DO UPDATE SET ${sets.join(', ')}`
  // ON CONFLICT DO UPDATE SET, and of each assignment a = excluded.a with a comma after all but the last.
  const tokens = 5 + action.assignments.length * 6 - 1
  const edits = [{ offset: onConflict.position.offset, tokens, text }]
  const others = kept.length === 0 ? { kind: 'nothing' as const } : { ...action, assignments: kept }
  return changed(parser, found, edits, { ...insert, onConflict: { ...onConflict, action: others } })
}

function isExcluded(value: Expression): boolean {
  return value.kind === 'column' && value.qualifier === 'excluded'
}

/** SCAN a FROM t WHERE … -> SCAN a FROM t USE PRIMARY KEY WHERE …; SET and DELETE in the same way. */
function walkOf(parser: Parser, found: Suggested | undefined): string | undefined {
  const { statement } = found ?? {}
  if (statement?.kind !== 'scan' && statement?.kind !== 'set' && statement?.kind !== 'delete') {
    return undefined
  }
  const { asOf, alias } = statement.kind === 'scan' ? statement : {}
  const { position } = asOf ?? alias ?? statement.table
  const hint = { kind: 'primaryKey', position } as const
  const edits = [{ offset: position.offset, tokens: 0, text: 'USE PRIMARY KEY' }]
  return changed(parser, found as Suggested, edits, { ...statement, hint })
}

/** INSERT INTO t (column1, column2) … -> INSERT INTO t (a, b) …, the first columns of the table */
function withColumns(parser: Parser, found: Suggested, catalog: Catalog): string | undefined {
  const { statement: insert } = found
  if (insert.kind !== 'insert' || insert.columns[0]?.text !== 'column1') return undefined
  const columns = catalog.table(insert.table.text)?.columns.slice(0, insert.columns.length) ?? []
  if (columns.length !== insert.columns.length) return undefined
  const named = insert.columns.map((column, index) => ({
    ...column,
    text: columns[index]?.name as string,
  }))
  const edits = named.map(({ text, position }) => ({
    ...{ offset: position.offset, text: shownName(text) },
  }))
  return changed(parser, found, edits, { ...insert, columns: named })
}

/** Why a text cannot be sent; undefined when it can. */
function refusalOf(
  text: string,
  catalog: Catalog,
  { parser, plans }: SuggestionDependencies,
): unknown {
  try {
    const [statement] = parser.parseScript(text)
    if (statement !== undefined && PLANNED.has(statement.kind)) {
      plans.plan(statement as RowStatement, catalog)
    }
    return undefined
  } catch (refusal) {
    return refusal
  }
}

const PLANNED: ReadonlySet<Statement['kind']> = new Set([
  ...(['get', 'scan', 'set', 'delete', 'insert', 'explain'] as const),
])

function statementsOf(parser: Parser, text: string): readonly Statement[] {
  try {
    return parser.parseScript(text)
  } catch {
    return []
  }
}
