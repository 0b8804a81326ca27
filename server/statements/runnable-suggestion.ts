// SPDX-License-Identifier: Apache-2.0
import type { Statement } from '../../parser/ast.ts'
import { ParseError, type Parser, shownName } from '../../parser/parser.ts'
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
 * with the first of GET, SCAN and a walk of the whole table that has a plan; the same error where none has. An INSERT
 * that did not name its columns gets those of its table.
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
  const runnable = variantsOf(parts.parser, suggestion, catalog).find((text) =>
    runs(text, catalog, parts),
  )
  if (runnable === undefined || runnable === suggestion || hint === undefined) return error
  const advice = hint.slice(0, hint.length - suggestion.length)
  return new ParseError(error.code, error.message, error, {
    ...error,
    hint: advice + runnable,
    suggestion: runnable,
  })
}

function variantsOf(parser: Parser, text: string, catalog: Catalog): string[] {
  const scan = text.replace(/^((?:EXPLAIN (?:ANALYZE )?(?:SCRIPT )?)?)GET\b/i, '$1SCAN')
  return [text, scan, walkOf(parser, scan), withColumns(parser, text, catalog)].filter(
    (each) => each !== undefined,
  )
}

/** SCAN a FROM t WHERE … -> SCAN a FROM t USE PRIMARY KEY WHERE …; SET and DELETE in the same way. */
function walkOf(parser: Parser, text: string): string | undefined {
  const statement = statementsOf(parser, text)[0]
  const read = statement?.kind === 'explain' ? statement.statement : statement
  if (read?.kind !== 'scan' && read?.kind !== 'set' && read?.kind !== 'delete') return undefined
  const { offset } = read.table.position
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

function runs(text: string, catalog: Catalog, { parser, plans }: Parts): boolean {
  const [statement] = statementsOf(parser, text)
  if (statement === undefined) return false
  if (!PLANNED.has(statement.kind)) return true
  try {
    plans.plan(statement as RowStatement, catalog)
    return true
  } catch {
    return false
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
