// SPDX-License-Identifier: Apache-2.0

import type { Database } from './database.ts'
import { PercoliteError } from './errors.ts'
import type { Statement } from './requests/statements.ts'
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

export type ForAllResult = {
  /** How many rows the SCAN has found. */
  readonly rows: number
  /** How many rows the statements wrote or deleted. */
  readonly rowsAffected: number
  readonly transactions: number
}

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
  let done = { rows: 0, rowsAffected: 0, transactions: 0 }
  const run = async (rows: readonly Statement[]) => {
    const { rowsAffected } = await db.execute(rows, options)
    done = {
      rows: done.rows + rows.length,
      rowsAffected: done.rowsAffected + rowsAffected,
      transactions: done.transactions + 1,
    }
  }
  try {
    let rows: Statement[] = []
    for await (const row of db.scan<Row>(scan, params, { ...options, pageSize: batch })) {
      rows.push({ sql, params: row as Parameters })
      if (rows.length < batch) continue
      await run(rows)
      rows = []
    }
    if (rows.length > 0) await run(rows)
    return done
  } catch (error) {
    throw withDone(error, done)
  }
}

/** What failed, with what has been committed before it. */
function withDone(error: unknown, done: ForAllResult): unknown {
  if (!(error instanceof PercoliteError)) return error
  const { code, message, httpStatus, retryable, fields, retryAfterMs } = error
  const facts = { code, message, httpStatus, retryable, retryAfterMs, cause: error }
  return new PercoliteError({ ...facts, fields: { ...fields, done } })
}
