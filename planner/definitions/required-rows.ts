// SPDX-License-Identifier: Apache-2.0
import type { Position } from '../../parser/ast.ts'
import type { Transaction } from '../../storage/storage.ts'
import { type Catalog, scanRows, type TableDefinition } from '../../storage/tables/tables.ts'
import { nameText } from '../expressions/expression-text.ts'
import { PlanError } from '../plan-error.ts'
import { readsAllRows } from '../required-rights.ts'

/**
 * For definitions whose outcome tells of the values of rows: whoever chooses them well learns any value. A table
 * without rows is free. Throws PlanError `not_permitted`.
 */
export async function requireAllRows(
  catalog: Pick<Catalog, 'rights'>,
  transaction: Transaction,
  { table, position }: { readonly table: TableDefinition; readonly position: Position },
): Promise<void> {
  if (readsAllRows(catalog, table)) return
  for await (const _ of scanRows(transaction, table, { limit: 1, columns: [] })) {
    const detail = `The role ${catalog.rights.role} lacks READ on all rows of ${table.name}, which this is about.`
    throw new PlanError('not_permitted', detail, {
      position,
      hint: `GRANT READ ON ${nameText(table.name)} TO ${nameText(catalog.rights.role)}, without WHERE; or let an administrator do it.`,
      fields: { right: 'read', table: table.name },
    })
  }
}
