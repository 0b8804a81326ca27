// SPDX-License-Identifier: Apache-2.0
import type { Statement } from '../../parser/ast.ts'
import { otherLookupOrders, ParseError, type Parser, shownName } from '../../parser/parser.ts'
import { PlanError } from '../../planner/planner.ts'
import type { Catalog } from '../../storage/storage.ts'
import type { Access } from '../access/access.ts'
import type { Principal } from '../access/principal.ts'
import { StatementFailure } from '../errors/server-error.ts'
import type { RowStatement } from '../requests/script.ts'
import type { PlanCache } from './plan-cache.ts'

type Parts = {
  readonly parser: Parser
  readonly plans: PlanCache
  readonly access: Pick<Access, 'currentCatalog'>
}

/**
 * The parser suggests a statement without knowing the tables: whether a WHERE names a key, it cannot tell. The error
 * with the first of the statement, its like as SCAN, as a walk of the whole table, and so on, that has a plan. Where
 * none has, no statement is suggested, and the hint goes on with what is wrong in it.
 */
export async function withRunnableSuggestion(
  error: unknown,
  parts: Parts,
  principal: Principal | undefined,
): Promise<unknown> {
  if (error instanceof StatementFailure) {
    const cause = await withRunnableSuggestion(error.cause, parts, principal)
    return cause === error.cause ? error : new StatementFailure(error.statement, cause)
  }
  if (!(error instanceof ParseError) || error.suggestion === undefined) return error
  const { suggestion, hint } = error
  const catalog = await parts.access.currentCatalog(principal)
  const refusals: unknown[] = []
  const runnable = variantsOf(parts.parser, suggestion, catalog).find((text) => {
    const refusal = refusalOf(text, catalog, parts)
    refusals.push(refusal)
    return refusal === undefined
  })
  if (runnable === suggestion || hint === undefined) return error
  const advice = hint.slice(0, hint.length - suggestion.length)
  return new ParseError(error.code, error.message, error, {
    ...error,
    hint:
      runnable === undefined
        ? advice.replace(/: $/, '. ') + reasonOf(suggestion, refusals)
        : advice + runnable,
    suggestion: runnable,
  })
}

const GET = /^((?:EXPLAIN (?:ANALYZE )?(?:SCRIPT )?)?)GET\b/i

/** What is wrong with a suggestion: of a GET that is no GET, with the same as a SCAN, if that says more. */
function reasonOf(suggestion: string, refusals: readonly unknown[]): string {
  const [own, ...others] = GET.test(suggestion) ? [...refusals.slice(1), refusals[0]] : refusals
  const refusal =
    [own, ...others].find((each) => each instanceof PlanError && each.code !== 'unbounded_scan') ??
    own
  if (!(refusal instanceof PlanError || refusal instanceof ParseError)) return ''
  const { message, hint } = refusal
  const sentence = message.endsWith('.') ? message : `${message}.`
  return hint === undefined ? sentence : `${sentence} ${hint}`
}

function variantsOf(parser: Parser, text: string, catalog: Catalog): string[] {
  const scan = text.replace(GET, '$1SCAN')
  const tried = [
    text,
    scan,
    walkOf(parser, scan),
    withColumns(parser, text, catalog),
    withoutKey(parser, text, catalog),
  ]
  const orders = [scan, ...ordersOf(parser, scan)]
  const texts = [...tried, ...orders.slice(1).flatMap((each) => [each, walkOf(parser, each)])]
  return texts.filter((each) => each !== undefined)
}

/** FROM customer AS c LOOKUP orders AS o BY … -> FROM orders AS o LOOKUP customer AS c BY … */
function ordersOf(parser: Parser, text: string): readonly string[] {
  const [statement] = statementsOf(parser, text)
  const read = statement?.kind === 'explain' ? statement.statement : statement
  return read?.kind === 'scan' ? otherLookupOrders(text, read) : []
}

/** ON CONFLICT DO UPDATE SET id = excluded.id, a = excluded.a -> ON CONFLICT DO UPDATE SET a = excluded.a */
function withoutKey(parser: Parser, text: string, catalog: Catalog): string | undefined {
  const [insert] = statementsOf(parser, text)
  if (insert?.kind !== 'insert' || insert.onConflict?.action.kind !== 'update') return undefined
  const table = catalog.table(insert.table.text)
  const key = new Set(
    table?.primaryKey.map(({ columnId }) => table.columns.find(({ id }) => id === columnId)?.name),
  )
  const { assignments } = insert.onConflict.action
  const kept = assignments.filter(({ column }) => !key.has(column.text))
  const names = kept.map(({ column }) => shownName(column.text))
  const set = names.map((name) => `${name} = excluded.${name}`).join(', ')
  const action = kept.length === 0 ? 'NOTHING' : `UPDATE SET ${set}`
  return text.replace(/ DO UPDATE SET (?:(?! DO UPDATE SET ).)*$/s, () => ` DO ${action}`)
}

/** SCAN a FROM t WHERE … -> SCAN a FROM t USE PRIMARY KEY WHERE …; SET and DELETE in the same way. */
function walkOf(parser: Parser, text: string): string | undefined {
  const statement = statementsOf(parser, text)[0]
  const read = statement?.kind === 'explain' ? statement.statement : statement
  if (read?.kind !== 'scan' && read?.kind !== 'set' && read?.kind !== 'delete') return undefined
  const { offset } = (('alias' in read ? read.alias : undefined) ?? read.table).position
  const name = /^(?:"(?:[^"]|"")*"|\w+)/.exec(text.slice(offset))?.[0] ?? ''
  const end = offset + name.length
  return `${text.slice(0, end)} USE PRIMARY KEY${text.slice(end)}`
}

/** INSERT INTO t (column1, column2) … -> INSERT INTO t (a, b) …, the first columns of the table */
function withColumns(parser: Parser, text: string, catalog: Catalog): string | undefined {
  const [insert] = statementsOf(parser, text)
  if (insert?.kind !== 'insert') return undefined
  const columns = catalog.table(insert.table.text)?.columns.slice(0, insert.columns.length) ?? []
  const named = insert.columns.map((name) => name.text).join(', ')
  if (columns.length !== insert.columns.length || !named.startsWith('column1')) return undefined
  return text.replace(
    `(${named})`,
    () => `(${columns.map(({ name }) => shownName(name)).join(', ')})`,
  )
}

/** Why a text cannot be sent; undefined when it can. */
function refusalOf(text: string, catalog: Catalog, { parser, plans }: Parts): unknown {
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
