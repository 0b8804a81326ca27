// SPDX-License-Identifier: Apache-2.0
import type { Name, Position } from '../parser/ast.ts'
import type {
  Catalog,
  Rights,
  ServerRight,
  TableDefinition,
  TableRight,
} from '../storage/tables/tables.ts'
import { PlanError } from './plan-error.ts'
import { requireTable } from './unknown-name.ts'

/**
 * The table of this name, where whoever asks may do all this with its rows. Throws PlanError `unknown_table`, for one
 * that it may do nothing with as well, and `not_permitted`.
 */
export function requireTableFor(
  catalog: Catalog,
  name: Name,
  ...rights: readonly TableRight[]
): TableDefinition {
  const table = requireTable(catalog, name)
  for (const right of rights) requireTableRight(catalog, table, right, name.position)
  return table
}

/** OBSERVE needs READ of all rows, since notifications name any of them. Throws PlanError `not_permitted`. */
export function requireTableRight(
  { rights }: Pick<Catalog, 'rights'>,
  table: TableDefinition,
  right: TableRight,
  position?: Position,
): void {
  if (rights.mayOn(table, right) && !(right === 'observe' && rights.rulesOn(table, 'read'))) return
  const detail = `${lacking(rights, right)} on ${table.name}.`
  throw new PlanError('not_permitted', detail, {
    position,
    fields: { right, table: table.name },
  })
}

/** Whether whoever asks may read every row of the table. */
export function readsAllRows({ rights }: Pick<Catalog, 'rights'>, table: TableDefinition): boolean {
  return rights.mayOn(table, 'read') && rights.rulesOn(table, 'read') === undefined
}

/** Whether it may know values and counts of any of them, as what stands in definitions is. */
export function mayBeToldOfRows(catalog: Pick<Catalog, 'rights'>, table: TableDefinition): boolean {
  return readsAllRows(catalog, table) || catalog.rights.may('inspect')
}

/** Throws PlanError `not_permitted`. */
export function requireServerRight(
  { rights }: Pick<Catalog, 'rights'>,
  right: ServerRight,
  position: Position,
): void {
  if (rights.may(right)) return
  throw new PlanError('not_permitted', `${lacking(rights, right)}.`, {
    position,
    fields: { right },
  })
}

function lacking({ role, isImpersonated }: Rights, right: ServerRight | TableRight): string {
  const words = right.toUpperCase()
  return isImpersonated
    ? `This token sees as the role ${role} and changes nothing: it lacks ${words}`
    : `The role ${role} lacks ${words}`
}
