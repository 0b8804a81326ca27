// SPDX-License-Identifier: Apache-2.0
import { hasCode, PercoliteError } from './errors.ts'

/** What was done, of all transactions. */
export type Done = {
  readonly rows: number
  /** How many rows were written or deleted. */
  readonly rowsAffected: number
  readonly transactions: number
}

export type BatchLimits<T> = {
  /** Rows of one transaction. */
  readonly rowsMax: number
  /** UTF-16 code units of what is sent for a row, and of all of one transaction. */
  readonly charactersOf?: (item: T) => number
  readonly charactersMax?: number
  /** Whether more than one transaction is refused. */
  readonly oneTransaction?: boolean | undefined
}

/**
 * Runs `send` for as many items at a time as a transaction may have; where the server says that they are too many, for
 * each half of them. `send` is told how many came before and resolves to how many rows it has affected. What was done
 * before an error is `error.fields.done`.
 */
export async function inBatches<T>(
  items: Iterable<T> | AsyncIterable<T>,
  { rowsMax, charactersOf = () => 0, charactersMax = 0, oneTransaction }: BatchLimits<T>,
  send: (batch: readonly T[], first: number) => Promise<number>,
): Promise<Done> {
  let done = { rows: 0, rowsAffected: 0, transactions: 0 }
  const run = async (batch: readonly T[]): Promise<void> => {
    try {
      const rowsAffected = done.rowsAffected + (await send(batch, done.rows))
      done = { rows: done.rows + batch.length, rowsAffected, transactions: done.transactions + 1 }
    } catch (error) {
      if (batch.length === 1 || oneTransaction || !hasCode(error, 'limit_exceeded')) throw error
      const middle = Math.ceil(batch.length / 2)
      await run(batch.slice(0, middle))
      await run(batch.slice(middle))
    }
  }
  try {
    let batch: T[] = []
    let characters = 0
    for await (const item of items) {
      const added = charactersOf(item)
      if (batch.length === rowsMax || (batch.length > 0 && characters + added > charactersMax)) {
        if (oneTransaction) throw tooMany(batch.length)
        await run(batch)
        batch = []
        characters = 0
      }
      batch.push(item)
      characters += added
    }
    if (batch.length > 0) await run(batch)
    return done
  } catch (error) {
    throw withDone(error, done)
  }
}

function tooMany(rows: number): PercoliteError {
  const message = `More than ${rows} of these rows are too much for one transaction.`
  return new PercoliteError({ code: 'limit_exceeded', message })
}

/** What failed, with what has been committed before it. */
function withDone(error: unknown, done: Done): unknown {
  if (!(error instanceof PercoliteError)) return error
  const { code, message, httpStatus, retryable, fields, retryAfterMs } = error
  const facts = { code, message, httpStatus, retryable, retryAfterMs, cause: error }
  return new PercoliteError({ ...facts, fields: { ...fields, done } })
}
