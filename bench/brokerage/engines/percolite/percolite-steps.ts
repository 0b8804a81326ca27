// SPDX-License-Identifier: Apache-2.0
import type { AnyRead, TransactionSteps, Write } from '../buffered-transaction.ts'
import { readAnswer } from '../sql-statements.ts'
import { type PercoliteStatement, readStatements, writeStatement } from './percolite-statements.ts'
import type { PercoliteAnswer, PercoliteAsking } from './query-socket.ts'

const BEGIN: PercoliteStatement = { sql: 'BEGIN' }
const COMMIT: PercoliteStatement = { sql: 'COMMIT' }
const ROLLBACK: PercoliteStatement = { sql: 'ROLLBACK' }

type Results = PercoliteAnswer['results']

/**
 * Asks for all reads of a step by one request; `ask` sends the statements. GETs stand before SCANs:
 * those that follow each other reach the store together.
 */
async function answersOf(
  reads: readonly AnyRead[],
  ask: (statements: readonly PercoliteStatement[]) => Promise<Results>,
): Promise<unknown[]> {
  const places = [...reads.keys()].sort((left, right) => {
    return Number(isScan(reads[left])) - Number(isScan(reads[right]))
  })
  const asked = places.map((position) => readStatements(reads[position] as AnyRead))
  const results = await ask(asked.flat())
  const answers: unknown[] = []
  let next = 0
  for (const [at, position] of places.entries()) {
    const count = asked[at]?.length ?? 0
    const own = results.slice(next, next + count)
    next += count
    const rows = count === 1 ? (own[0]?.rows ?? []) : own.flatMap((result) => result.rows)
    answers[position] = readAnswer(reads[position] as AnyRead, rows)
  }
  return answers
}

function isScan(read: AnyRead | undefined): boolean {
  return read?.kind === 'scan' || read?.kind === 'scanEach'
}

/**
 * Every step is a request by itself. The first one tells the snapshot, and the later ones read it; all
 * writes are one more request, whose transaction begins then.
 */
export class SnapshotSteps implements TransactionSteps {
  readonly #requests: PercoliteAsking
  #asOf: number | undefined

  constructor(requests: PercoliteAsking) {
    this.#requests = requests
  }

  async read(reads: readonly AnyRead[]): Promise<readonly unknown[]> {
    return await answersOf(reads, async (statements) => {
      const request = this.#asOf === undefined ? { statements } : { statements, asOf: this.#asOf }
      const { results, readTimestamp } = await this.#requests.ask(request)
      this.#asOf ??= readTimestamp
      return results
    })
  }

  async commit(writes: readonly Write[]): Promise<void> {
    if (writes.length > 0) await writeAtOnce(this.#requests, writes)
  }

  async rollback(): Promise<void> {}
}

/**
 * A transaction over several requests: its BEGIN comes with the first reads, its COMMIT with the
 * writes.
 */
export class InteractiveSteps implements TransactionSteps {
  readonly #requests: PercoliteAsking
  #transaction: string | undefined

  constructor(requests: PercoliteAsking) {
    this.#requests = requests
  }

  async read(reads: readonly AnyRead[]): Promise<readonly unknown[]> {
    return await answersOf(reads, (statements) => {
      return this.#transaction === undefined
        ? this.#begin(statements)
        : this.#inside(this.#transaction, statements)
    })
  }

  async commit(writes: readonly Write[]): Promise<void> {
    if (this.#transaction === undefined) {
      // Nothing was read, so it may as well begin now.
      if (writes.length > 0) await writeAtOnce(this.#requests, writes)
      return
    }
    const statements = [...writes.map(writeStatement), COMMIT]
    const request = { statements, transaction: this.#transaction }
    const { results } = await this.#requests.ask(request, { commits: true })
    assertOneRowEach(writes, results)
  }

  async rollback(): Promise<void> {
    if (this.#transaction !== undefined) await this.#inside(this.#transaction, [ROLLBACK])
  }

  async #begin(reads: readonly PercoliteStatement[]): Promise<Results> {
    const statements = [BEGIN, ...reads]
    const { results, transaction } = await this.#requests.ask({ statements, keepOpen: true })
    this.#transaction = transaction
    return results.slice(1)
  }

  async #inside(transaction: string, statements: readonly PercoliteStatement[]): Promise<Results> {
    const { results } = await this.#requests.ask({ statements, transaction })
    return results
  }
}

/** A transaction that begins and ends with this request. */
async function writeAtOnce(requests: PercoliteAsking, writes: readonly Write[]): Promise<void> {
  const statements = writes.map(writeStatement)
  const { results } = await requests.ask({ statements }, { commits: true })
  assertOneRowEach(writes, results)
}

/** A write named a row that is not there: a fault of the server, or of this benchmark. */
function assertOneRowEach(writes: readonly Write[], results: Results): void {
  writes.forEach((write, position) => {
    const rows = results[position]?.rowsAffected
    if (rows === 1) return
    throw new Error(`${writeStatement(write).sql} changed ${rows} rows`)
  })
}
