// SPDX-License-Identifier: Apache-2.0
import type { Name, Statement } from '../../../parser/ast.ts'
import {
  describePlanned,
  requireServerRight,
  type StatementDescription,
} from '../../../planner/planner.ts'
import type { Catalog } from '../../../storage/tables/tables.ts'
import { ServerError } from '../../errors/server-error.ts'
import { parsedText } from '../prepared/query-request.ts'
import type { RunningRequest } from '../prepared/running-request.ts'
import { isAboutAccess, type RowStatement, standsAlone } from '../prepared/script.ts'
import type { PlanCache } from './plan-cache.ts'
import { type SuggestionDependencies, withRunnableSuggestion } from './runnable-suggestion.ts'

/** `DescribedStatement` of `openapi.yaml`. */
export type DescribedStatement = StatementDescription & {
  readonly kind: Statement['kind']
  /** Of a definition: what it makes or changes, as it is named there. */
  readonly defines?: DefinedNames
}

type DefinedNames = { readonly [of in 'table' | 'index' | 'observer' | 'schedule']?: string }

/**
 * What is known of a statement from its plan, which is made against what the role of the request may know. Nothing is
 * run. Rejects with ParseError, PlanError and ServerError `invalid_request`.
 */
export async function describedStatement(
  sql: string,
  deps: SuggestionDependencies,
  { turns, principal, signal }: RunningRequest,
): Promise<DescribedStatement> {
  if (!turns.mayBegin) await turns.begin()
  const statement = await parsedAlone(sql, deps, { turns, principal })
  if (turns.isDue) await turns.pause()
  signal.throwIfAborted()
  const catalog = await deps.access.currentCatalog(principal)
  return { kind: statement.kind, ...descriptionOf(statement, catalog, deps.plans) }
}

async function parsedAlone(
  sql: string,
  deps: SuggestionDependencies,
  { turns, principal }: Pick<RunningRequest, 'turns' | 'principal'>,
): Promise<Statement> {
  try {
    const statements = await parsedText(deps.parser, sql, turns)
    const [statement] = statements
    if (statement !== undefined && statements.length === 1) return statement
    const fields = { parameter: 'sql', in: 'body', actual: statements.length }
    throw new ServerError('invalid_request', 'One statement at a time is described.', fields)
  } catch (error) {
    throw await withRunnableSuggestion(error, deps, principal)
  }
}

/** Throws PlanError. */
function descriptionOf(
  statement: Statement,
  catalog: Catalog,
  plans: PlanCache,
): Omit<DescribedStatement, 'kind'> {
  const { kind, position } = statement
  if (kind === 'begin' || kind === 'commit' || kind === 'rollback') {
    return { columns: [], parameters: [], writes: false }
  }
  if (!standsAlone(statement)) {
    const planned = statement as RowStatement
    return describePlanned(planned, plans.plan(planned, catalog))
  }
  requireServerRight(catalog, isAboutAccess(statement) ? 'admin' : 'define', position)
  const hasAnswer = ANSWERED.has(kind)
  const defines = isAboutAccess(statement) ? {} : { defines: namesOf(statement as Definition) }
  return { ...(hasAnswer ? {} : { columns: [] }), parameters: [], writes: true, ...defines }
}

/** They return a row with a secret. */
const ANSWERED: ReadonlySet<string> = new Set([
  ...['createToken', 'rotateToken', 'createRelay', 'rotateRelay'],
])

type Definition = Extract<
  Statement,
  | { readonly table: Name }
  | { readonly index: Name }
  | { readonly observer: Name }
  | { readonly schedule: Name }
>

function namesOf(statement: Definition): DefinedNames {
  return {
    ...('table' in statement && { table: statement.table.text }),
    ...('index' in statement && { index: statement.index.text }),
    ...('observer' in statement && { observer: statement.observer.text }),
    ...('schedule' in statement && { schedule: statement.schedule.text }),
  }
}
