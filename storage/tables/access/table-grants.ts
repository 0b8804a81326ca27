// SPDX-License-Identifier: Apache-2.0

import { type Catalog, requireTable } from '../catalog/catalog.ts'
import { type CatalogWrites, changeTable } from '../catalog/catalog-writes.ts'
import { requireUniqueWithinRules } from '../row-rules.ts'
import { requireCount } from '../table-counts.ts'
import type { RowRule, TableGrant, TableRight } from '../table-definition.ts'
import { changeAccess } from './access-rows.ts'

/**
 * Lets a role do more with a table. `catalog` is the one of this transaction. Returns whether anything changed.
 *
 * Errors: `unknown_table`; `limit_exceeded` for the number of grants; those of `requireUniqueWithinRules`.
 */
export async function grantOnTable(
  transaction: CatalogWrites,
  catalog: Catalog,
  { table: name, role, rights, rule }: TableRights & { readonly rule?: RowRule },
): Promise<boolean> {
  transaction.requireRoom()
  const table = requireTable(catalog, name)
  const added = rights
    .filter((right) => !table.grants.some((grant) => isSame(grant, { role, right, rule })))
    .map((right): TableGrant => ({ role, right, ...(rule === undefined ? {} : { rule }) }))
  if (added.length === 0) return false
  const grants = [...table.grants, ...added]
  requireCount(name, 'grants', grants.length)
  requireUniqueWithinRules({ ...table, grants })
  // Who wrote the table by the definition before was allowed to, so none of them has to fail.
  await changeTable(transaction, { ...table, grants }, { isFenced: false })
  changeAccess(transaction)
  return true
}

/** Takes rights away; a transaction that has written the table and is open ends with `schema_changed`. */
export async function revokeOnTable(
  transaction: CatalogWrites,
  catalog: Catalog,
  { table: name, role, rights }: TableRights,
): Promise<boolean> {
  const table = requireTable(catalog, name)
  const grants = table.grants.filter((grant) => !rights.some((right) => isOf(grant, role, right)))
  if (grants.length === table.grants.length) return false
  await changeTable(transaction, { ...table, grants })
  changeAccess(transaction)
  return true
}

type TableRights = {
  readonly table: string
  readonly role: string
  readonly rights: readonly TableRight[]
}

function isSame(
  grant: TableGrant,
  { role, right, rule }: Omit<TableGrant, 'rule'> & { readonly rule: RowRule | undefined },
): boolean {
  return isOf(grant, role, right) && grant.rule?.text === rule?.text
}

function isOf(grant: TableGrant, role: string, right: TableRight): boolean {
  return grant.role === role && grant.right === right
}
