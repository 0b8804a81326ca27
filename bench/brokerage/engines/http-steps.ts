// SPDX-License-Identifier: Apache-2.0
import { HttpClient, UnexpectedAnswer } from '../../load/http-client.ts'
import { type AbortCause, TransactionAborted } from '../engine.ts'
import type { AnyRead, AnyRow, TransactionSteps, Write } from './buffered-transaction.ts'
import {
  type PercoliteStatement,
  readAnswer,
  readStatements,
  writeStatement,
} from './percolite-statements.ts'

type Answer = {
  readonly results: ReadonlyArray<{ readonly rows: AnyRow[]; readonly rowsAffected: number }>
  readonly readTimestamp: number
  readonly attempts: number
}

/** Requests to one server. What goes wrong comes as TransactionAborted where trying again may help. */
export class PercoliteRequests {
  readonly #http: HttpClient

  constructor(origin: string, connections: number) {
    this.#http = new HttpClient(origin, connections)
  }

  async post(path: string, body: unknown, isCommit = false): Promise<unknown> {
    try {
      return JSON.parse(await this.#http.post(path, JSON.stringify(body)))
    } catch (error) {
      throw abortOf(error, isCommit)
    }
  }

  async destroy(): Promise<void> {
    await this.#http.destroy()
  }

  async close(): Promise<void> {
    await this.#http.close()
  }
}

/** Asks for all reads of a step by one request. `ask` sends the statements. */
async function answersOf(
  reads: readonly AnyRead[],
  ask: (statements: readonly PercoliteStatement[]) => Promise<Answer>,
): Promise<unknown[]> {
  const asked = reads.map(readStatements)
  const { results } = await ask(asked.flat())
  let next = 0
  return reads.map((read, place) => {
    const count = asked[place]?.length ?? 0
    const own = results.slice(next, next + count)
    next += count
    const [only] = own
    return readAnswer(read, count === 1 ? (only?.rows ?? []) : own.flatMap(({ rows }) => rows))
  })
}

/**
 * Every step is a request by itself. The first one tells the snapshot, and the later ones read it; all
 * writes are one more request, whose transaction begins then.
 */
export class SnapshotSteps implements TransactionSteps {
  readonly #requests: PercoliteRequests
  #asOf: number | undefined

  constructor(requests: PercoliteRequests) {
    this.#requests = requests
  }

  async read(reads: readonly AnyRead[]): Promise<readonly unknown[]> {
    return await answersOf(reads, async (statements) => {
      const body = this.#asOf === undefined ? { statements } : { statements, asOf: this.#asOf }
      const answer = (await this.#requests.post('/v1/query', body)) as Answer
      this.#asOf ??= answer.readTimestamp
      return answer
    })
  }

  async commit(writes: readonly Write[]): Promise<void> {
    if (writes.length === 0) return
    const statements = writes.map(writeStatement)
    assertOneRowEach(
      writes,
      (await this.#requests.post('/v1/query', { statements }, true)) as Answer,
    )
  }

  async rollback(): Promise<void> {}
}

/** A transaction over several requests; its writes and its commit are the last one. */
export class InteractiveSteps implements TransactionSteps {
  readonly #requests: PercoliteRequests
  #id: string | undefined

  constructor(requests: PercoliteRequests) {
    this.#requests = requests
  }

  async read(reads: readonly AnyRead[]): Promise<readonly unknown[]> {
    const path = await this.#path()
    return await answersOf(reads, async (statements) => {
      return (await this.#requests.post(path, { statements })) as Answer
    })
  }

  async commit(writes: readonly Write[]): Promise<void> {
    const statements = writes.map(writeStatement)
    if (this.#id === undefined) {
      // Nothing was read, so it may as well begin now.
      if (writes.length === 0) return
      const answer = await this.#requests.post('/v1/query', { statements }, true)
      assertOneRowEach(writes, answer as Answer)
      return
    }
    const body = { statements: [...statements, { sql: 'COMMIT' }] }
    assertOneRowEach(writes, (await this.#requests.post(await this.#path(), body, true)) as Answer)
  }

  async rollback(): Promise<void> {
    if (this.#id === undefined) return
    await this.#requests.post(await this.#path(), { sql: 'ROLLBACK' })
  }

  async #path(): Promise<string> {
    if (this.#id === undefined) {
      const opened = await this.#requests.post('/v1/transactions', {})
      this.#id = (opened as { readonly transaction: string }).transaction
    }
    return `/v1/transactions/${this.#id}/query`
  }
}

/** A write named a row that is not there: a fault of the server, or of this benchmark. */
function assertOneRowEach(writes: readonly Write[], { results }: Answer): void {
  writes.forEach((write, place) => {
    const rows = results[place]?.rowsAffected
    if (rows === 1) return
    throw new Error(`${writeStatement(write).sql} changed ${rows} rows`)
  })
}

const CAUSES: Readonly<Record<string, AbortCause>> = {
  write_conflict: 'writeConflict',
  locked: 'locked',
  transaction_expired: 'timeout',
  overloaded: 'other',
}

function abortOf(cause: unknown, isCommit: boolean): unknown {
  if (!(cause instanceof UnexpectedAnswer)) {
    const outcome = isCommit ? 'unknown' : 'rolledBack'
    return new TransactionAborted('connectionLost', { outcome, cause })
  }
  const code = codeOf(cause.text)
  if (code === 'commit_outcome_unknown') {
    return new TransactionAborted('other', { outcome: 'unknown', cause })
  }
  const abort = CAUSES[code]
  return abort === undefined ? cause : new TransactionAborted(abort, { cause })
}

function codeOf(text: string): string {
  try {
    return String(JSON.parse(text).code)
  } catch {
    return ''
  }
}
