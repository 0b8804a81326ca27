// SPDX-License-Identifier: Apache-2.0
import { invalidDefinition } from './definition-name.ts'
import type { ColumnDefinition, IndexDefinition, TableDefinition } from './table-definition.ts'

/**
 * A rule by key tells nothing of the rows that it hides, unless a unique index does: so each begins with the columns of
 * every such rule of its table. Throws `invalid_definition`.
 */
export function requireUniqueWithinRules(table: TableDefinition): void {
  for (const { role, rule } of table.grants) {
    if (rule?.isByKey !== true) continue
    const telling = table.indexes.find((index) => index.unique && !beginsWith(index, rule.columns))
    if (telling === undefined) continue
    const message = `The unique index "${telling.name}" would tell the role ${role} of rows that its rule hides: it has to begin with the columns of the rule, ${rule.text}.`
    throw invalidDefinition(message, { table: table.name, index: telling.name, role })
  }
}

function beginsWith({ parts }: IndexDefinition, columns: readonly number[]): boolean {
  const first = new Set(parts.slice(0, columns.length).map(({ columnId }) => columnId))
  return columns.every((id) => first.has(id))
}

/** Throws `invalid_definition` for a column that a rule names. */
export function requireNoRuleOn(table: TableDefinition, { id, name }: ColumnDefinition): void {
  const grant = table.grants.find(({ rule }) => rule?.columns.includes(id))
  if (grant === undefined) return
  const message = `Column "${name}" is in a rule of the role ${grant.role}; revoke that first.`
  throw invalidDefinition(message, { table: table.name, column: name, role: grant.role })
}

/** Throws `invalid_definition` for a column that a check names. */
export function requireNoCheckOn(table: TableDefinition, { id, name }: ColumnDefinition): void {
  const check = table.checks.find(({ columns }) => columns.includes(id))
  if (check === undefined) return
  const message = `Column "${name}" is in the constraint "${check.name}"; drop that first.`
  throw invalidDefinition(message, { table: table.name, column: name, constraint: check.name })
}
