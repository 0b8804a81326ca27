// SPDX-License-Identifier: Apache-2.0

import { StorageError } from '../../../storage/storage.ts'
import type { Catalog } from '../../../storage/tables/tables.ts'
import { ServerError, StatementFailure } from '../../errors/server-error.ts'
import { withRowNamed } from '../answers/row-address.ts'

/** The error of a request that is a transaction of its own, in words that its client can use. */
export function explained(error: unknown, catalog: Catalog | undefined): unknown {
  if (error instanceof StatementFailure) {
    return new StatementFailure(error.statement, explained(error.cause, catalog))
  }
  if (error instanceof StorageError && error.code === 'commit_outcome_unknown') {
    // Without a record of its own there is nothing to ask for later.
    return new ServerError(
      'commit_outcome_unknown',
      'The transaction may or may not be committed: read before you write again.',
      {},
      { cause: error },
    )
  }
  if (catalog === undefined) return error
  return withRowNamed(error, catalog)
}
