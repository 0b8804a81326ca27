// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, PercoliteError, type Schemas } from '../../client-sdk/client.ts'
import { EXIT } from '../command.ts'
import { exitCodeOfServer, isUnanswered } from '../connection/server-failure.ts'
import type { Batch, GoodRow } from './source-row.ts'

export type ImportMode = 'insert' | 'put' | 'skip'

export type SenderOptions = {
  readonly table: string
  readonly mode: ImportMode
  /** Whether the rows may have numbers of a column that is GENERATED ALWAYS. */
  readonly overridesGenerated: boolean
  /** What the keys of all batches begin with; the same for the same file where it may be started again. */
  readonly keyPrefix: string
  /** Once it is aborted, nothing more is sent. */
  readonly signal: AbortSignal
  /** How long a batch is tried again, in milliseconds. */
  readonly retryMs: number
  readonly onDone: (counts: SentCounts) => void
  /** Told of each row that the server refuses. */
  readonly onRefused: (row: GoodRow, error: PercoliteError) => void
  /** Told of the first of those rows that are not sent any more. */
  readonly onUnsent: (row: GoodRow) => void
}

export type SentCounts = {
  readonly written: number
  readonly skipped: number
  /** Written by an earlier run of the same import. */
  readonly replayed: number
}

/** Refusals that are about the rows: there may be others in the batch that are taken. */
const OF_ROWS: ReadonlySet<string> = new Set([
  ...['invalid_request', 'unknown_column', 'type_mismatch', 'out_of_range', 'not_null_violation'],
  ...['already_exists', 'unique_violation', 'check_failed', 'rule_violated', 'limit_exceeded'],
  ...['division_by_zero', 'statement_timeout'],
])

const [PAUSE_MS_MIN, PAUSE_MS_MAX] = [100, 5_000]

/** Sends batches of rows, each as one transaction with an `Idempotency-Key`. */
export class RowSender {
  readonly #db: Database
  readonly #options: SenderOptions
  readonly #path: string

  constructor(db: Database, options: SenderOptions) {
    this.#db = db
    this.#options = options
    const overriding = options.overridesGenerated ? '&overriding=system' : ''
    this.#path = `/v1/tables/${encodeURIComponent(options.table)}/rows?mode=${options.mode}${overriding}`
  }

  /**
   * Resolves when each row was written, left out or refused. A batch with a refused row is halved until that row is
   * alone: the same halves in each run, so that each of them has the key that it had. Rejects with PercoliteError.
   */
  async send(batch: Batch): Promise<void> {
    const { signal, onDone, onRefused, onUnsent } = this.#options
    const [row] = batch
    if (row === undefined) return
    if (signal.aborted) return onUnsent(row)
    try {
      onDone(await this.#sendUntilKnown(batch, row))
    } catch (error) {
      if (!(error instanceof PercoliteError) || !OF_ROWS.has(error.code)) throw error
      if (batch.length === 1) return onRefused(row, error)
      const middle = Math.ceil(batch.length / 2)
      await this.send(batch.slice(0, middle))
      await this.send(batch.slice(middle))
    }
  }

  /** Tries again what may succeed then, or may have been done already. */
  async #sendUntilKnown(batch: Batch, first: GoodRow): Promise<SentCounts> {
    const { keyPrefix, signal, retryMs } = this.#options
    const key = `${keyPrefix}-${first.line}-${batch.length}`
    const body = Buffer.from(`[${batch.map(({ json }) => json).join(',')}]`)
    const deadline = performance.now() + retryMs
    let inDoubt: PercoliteError | undefined
    for (let pauseMs = PAUSE_MS_MIN; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)) {
      try {
        return await this.#sendOnce(batch.length, body, key)
      } catch (error) {
        if (!(error instanceof PercoliteError)) throw error
        // Where no answer came, its key tells what became of the batch when it is sent again.
        if (!error.retryable && !isUnanswered(error)) throw error
        const mayBeWritten = exitCodeOfServer(error, { mayWrite: true }) === EXIT.unknownOutcome
        if (mayBeWritten || error.code === 'invalid_answer') inDoubt ??= error
        const waitMs = Math.max(pauseMs, error.retryAfterMs ?? 0)
        if (signal.aborted || performance.now() + waitMs > deadline) {
          throw inDoubt === undefined ? error : unknownOutcome(inDoubt)
        }
        await sleep(waitMs, undefined, { signal }).catch(() => undefined)
      }
    }
  }

  async #sendOnce(rows: number, body: Uint8Array, key: string): Promise<SentCounts> {
    const headers = { Prefer: 'return=minimal', 'Idempotency-Key': key }
    const answer = await this.#db.open('POST', this.#path, body, { headers })
    if (answer.headers.get('idempotent-replayed') === 'true') {
      await answer.body?.cancel()
      return { written: 0, skipped: 0, replayed: rows }
    }
    const { rowsAffected, skipped } = await countsOf(answer)
    return { written: rowsAffected, skipped, replayed: 0 }
  }
}

function unknownOutcome(cause: PercoliteError): PercoliteError {
  const message = `Rows may have been written, or not, and the server does not say: ${cause.message}`
  return new PercoliteError({ code: 'commit_outcome_unknown', message, cause })
}

async function countsOf(answer: Response) {
  const counts: unknown = await answer.json().catch(() => undefined)
  const { rowsAffected, skipped } = (counts ?? {}) as Partial<Schemas['WrittenCounts']>
  if (rowsAffected !== undefined && skipped !== undefined) return { rowsAffected, skipped }
  const message = 'The answer does not say how many rows were written: is the server an older one?'
  throw new PercoliteError({ code: 'invalid_answer', message })
}
