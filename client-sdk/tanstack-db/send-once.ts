// SPDX-License-Identifier: Apache-2.0
import { reconnectMs, sleep } from '../backoff.ts'
import type { Database } from '../database.ts'
import { PercoliteError } from '../errors.ts'
import { committedAt } from '../requests/http.ts'
import type { Statement } from '../requests/statements.ts'
import { encodeParameters } from '../values.ts'
import type { QueryAnswer } from '../wire.ts'

export type Sender = Pick<Database, 'open'>

type Sent = {
  /** Undefined where nothing was written. */
  readonly commitTimestamp: number | undefined
  /** Of each statement; undefined where the answer was lost after its head. */
  readonly rowsAffected: readonly number[] | undefined
}

/**
 * Runs the statements as one transaction, once: a request whose answer is lost is sent again with its key, and then
 * answered as before. Rejects with what is still wrong after `waitMs`, and at once with what the server refuses for
 * good.
 */
export async function sendOnce(
  db: Sender,
  statements: ReadonlyArray<Required<Statement>>,
  waitMs: number,
): Promise<Sent> {
  const headers = { 'idempotency-key': newKey() }
  const body = {
    statements: statements.map(({ sql, params }) => ({ sql, params: encodeParameters(params) })),
  }
  const lateMs = performance.now() + waitMs
  for (let tries = 1; ; tries += 1) {
    const timeoutMs = Math.max(1, lateMs - performance.now())
    try {
      return await sentOf(await db.open('POST', '/v1/query', body, { headers, timeoutMs }))
    } catch (error) {
      if (!mayPass(error)) throw error
      const pauseMs = reconnectMs(tries, error.retryAfterMs)
      if (performance.now() + pauseMs >= lateMs) throw error
      await sleep(pauseMs)
    }
  }
}

/** The head of the answer says whether it was committed, so that the rest may be lost. */
async function sentOf(answer: Response): Promise<Sent> {
  const read = (await answer.json().catch(() => undefined)) as QueryAnswer | undefined
  const commitTimestamp = committedAt(answer.headers) ?? read?.commitTimestamp
  return { commitTimestamp, rowsAffected: read?.results?.map((result) => result.rowsAffected ?? 0) }
}

/** Whether the same may be answered otherwise a little later. */
function mayPass(error: unknown): error is PercoliteError {
  if (!(error instanceof PercoliteError)) return false
  const isLost = error.code === 'connection_failed' || error.code === 'request_timed_out'
  return isLost || error.retryable || error.retryAfterMs !== undefined
}

/** Pages that are not served over https have no `crypto.randomUUID`. */
function newKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-')
}
