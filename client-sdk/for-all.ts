// SPDX-License-Identifier: Apache-2.0
import { type Done, inBatches } from './batches.ts'
import type { Database } from './database.ts'
import type { Parameters, Row } from './values.ts'

// The door of `@percolite/client/for-all`.

export type ForAllOptions = {
  /** Parameters of the SCAN. */
  readonly params?: Parameters
  /** Rows of one transaction: 500 unless given, from 1 to 1,000. */
  readonly batch?: number
  readonly signal?: AbortSignal
  /** How long the SCAN of a page, and each transaction, may run. */
  readonly timeoutMs?: number
}

/** `rows` are those that the SCAN has found. */
export type ForAllResult = Done

const BATCH = 500
const BATCH_MAX = 1_000

/**
 * Runs a statement for each row of a SCAN, with the row's columns as its parameters, in transactions of some hundred
 * rows: `forAll(db, "SCAN id FROM t WHERE n > 5", 'SET n = 5 ON t WHERE id = :id IF n > 5')`. For more rows than one
 * SET may change. The SCAN is read at one snapshot, so it ends, whatever is written meanwhile. What was committed
 * before an error is `error.fields.done`; run again, it goes on with what the SCAN still finds.
 */
export async function forAll(
  db: Pick<Database, 'execute' | 'scan'>,
  scan: string,
  sql: string,
  { params, batch = BATCH, ...options }: ForAllOptions = {},
): Promise<ForAllResult> {
  if (!(Number.isSafeInteger(batch) && batch >= 1 && batch <= BATCH_MAX)) {
    throw new RangeError(`batch is a whole number from 1 to ${BATCH_MAX}`)
  }
  const rows = db.scan<Row>(scan, params, { ...options, pageSize: batch })
  return await inBatches(rows, { rowsMax: batch }, async (some) => {
    const statements = some.map((row) => ({ sql, params: row as Parameters }))
    return (await db.execute(statements, options)).rowsAffected
  })
}
