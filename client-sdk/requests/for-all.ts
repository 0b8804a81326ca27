// SPDX-License-Identifier: Apache-2.0

import { PercoliteError } from '../errors.ts'
import type { Parameters, Row } from '../values.ts'
import type { Statement, Statements } from './statements.ts'

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
 * Runs a statement for each row of a SCAN, some hundred of them in one transaction: what no single statement may
 * change. The SCAN is read at one snapshot, so it ends, whatever is written meanwhile.
 */
export async function forAll(
  statements: Statements,
  scan: string,
  sql: string,
  { params, batch = BATCH, ...options }: ForAllOptions,
): Promise<ForAllResult> {
  if (!(Number.isSafeInteger(batch) && batch >= 1 && batch <= BATCH_MAX)) {
    throw new RangeError(`batch is a whole number from 1 to ${BATCH_MAX}`)
  }
  let done = { rows: 0, rowsAffected: 0, transactions: 0 }
  const run = async (rows: readonly Statement[]) => {
    const { rowsAffected } = await statements.execute(rows, options)
    done = {
      rows: done.rows + rows.length,
      rowsAffected: done.rowsAffected + rowsAffected,
      transactions: done.transactions + 1,
    }
  }
  try {
    let rows: Statement[] = []
    for await (const row of statements.scan<Row>(scan, params, { ...options, pageSize: batch })) {
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
