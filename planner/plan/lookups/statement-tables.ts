// SPDX-License-Identifier: Apache-2.0
import type { Expression, GetStatement, Lookup, ScanStatement } from '../../../parser/ast.ts'
import type { Catalog, TableDefinition } from '../../../storage/tables/tables.ts'
import { limitExceeded, PlanError } from '../../plan-error.ts'
import { PLANNER_LIMITS } from '../../planner-limits.ts'
import { requireTableFor } from '../../required-rights.ts'
import { type RowPart, rowOf } from '../../row-parts.ts'
import { type ParseRule, ruleConjuncts } from '../row-rule.ts'

/** The tables of a GET or a SCAN: the one whose rows are read, and those that rows are looked up in. */
export type StatementTables = {
  readonly parts: readonly RowPart[]
  readonly lookups: readonly LookupTable[]
}

export type LookupTable = {
  readonly part: RowPart
  readonly source: Lookup
  /** What its rows have to meet to be there for whoever asks. */
  readonly rule: readonly Expression[]
}

/**
 * Throws PlanError: `unknown_table` and `not_permitted` for a table that rows may not be looked up in,
 * `invalid_request` for two tables of one name, `limit_exceeded` for too many.
 */
export function tablesOf(
  statement: GetStatement | ScanStatement,
  table: TableDefinition,
  catalog: Catalog,
  parseRule: ParseRule,
): StatementTables {
  const parts = [...rowOf(table, statement.alias)]
  const sources = statement.lookups ?? []
  requireFew(sources)
  const lookups = sources.map((source): LookupTable => {
    const of = requireTableFor(catalog, source.table, 'read')
    const part = partAfter(parts, of, source)
    parts.push(part)
    return { part, source, rule: ruleConjuncts(catalog, of, ['read'], parseRule) }
  })
  return { parts, lookups }
}

function partAfter(
  parts: readonly RowPart[],
  table: TableDefinition,
  { table: named, alias, isOptional }: Lookup,
): RowPart {
  const { text: name, position } = alias ?? named
  const last = parts.at(-1) as RowPart
  if (parts.every((part) => part.name !== name)) {
    const offset = last.offset + last.table.columns.length
    return { name, table, offset, ...(isOptional ? { isOptional } : {}) }
  }
  throw new PlanError('invalid_request', `Two tables of this statement are named ${name}.`, {
    position,
    hint: `Give one of them another name with AS, as in LOOKUP ${named.text} AS ${name}2 BY …`,
    fields: { table: table.name },
  })
}

function requireFew(lookups: readonly Lookup[]): void {
  const max = PLANNER_LIMITS.lookupsMax
  const excess = lookups[max]
  if (excess === undefined) return
  const message = `A statement has at most ${max} LOOKUPs, and this one has ${lookups.length}.`
  throw limitExceeded('lookupsMax', lookups.length, message, { position: excess.position })
}
