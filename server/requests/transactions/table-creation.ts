// SPDX-License-Identifier: Apache-2.0
import { PlanError } from '../../../planner/planner.ts'
import { type Storage, StorageError, type Timestamp } from '../../../storage/storage.ts'
import { StatementFailure } from '../../errors/server-error.ts'
import type { Access } from '../../guard/access/access.ts'
import type { Principal } from '../../guard/access/principal.ts'

type Dependencies = { readonly storage: Storage; readonly access: Pick<Access, 'currentCatalog'> }

/** A table that is unknown in the past, and there now, with the moment at which it was created. */
export async function withCreation(
  error: unknown,
  deps: Dependencies,
  principal: Principal | undefined,
  asOf: Timestamp | undefined,
): Promise<unknown> {
  if (asOf === undefined) return error
  if (error instanceof StatementFailure) {
    const cause = await withCreation(error.cause, deps, principal, asOf)
    return cause === error.cause ? error : new StatementFailure(error.statement, cause)
  }
  const isUnknown =
    (error instanceof PlanError || error instanceof StorageError) && error.code === 'unknown_table'
  if (!isUnknown) return error
  const catalog = await deps.access.currentCatalog(principal)
  const table = catalog.table(String(error.fields.table))
  const createdAt = table && (await deps.storage.createdAt(table))
  if (table === undefined || createdAt === undefined || createdAt <= asOf) return error
  const moment = new Date(createdAt / 1000).toISOString()
  const detail = `The table ${table.name} was created at ${createdAt} (${moment}), after the moment that is read.`
  const { position } = error instanceof PlanError ? error : {}
  return new PlanError('unknown_table', detail, {
    ...(position === undefined ? {} : { position }),
    hint: `read it as of ${createdAt} or later`,
    fields: { table: table.name, asOf, createdAt },
  })
}
