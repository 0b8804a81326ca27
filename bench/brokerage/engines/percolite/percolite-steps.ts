// SPDX-License-Identifier: Apache-2.0
import { putCents } from '../amounts.ts'
import type { AnyRead, TransactionSteps, Write } from '../buffered-transaction.ts'
import { readAnswer } from '../sql-statements.ts'
import { type PercoliteStatement, readStatements, writeStatement } from './percolite-statements.ts'
import type { PercoliteAnswer, PercoliteRequests } from './query-socket.ts'

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
    const read = reads[position] as AnyRead
    answers[position] = readAnswer(read, putCents(read.table, read.columns, rows))
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
export function snapshotSteps(requests: PercoliteRequests): TransactionSteps {
  let asOf: number | undefined
  return {
    read: (reads) =>
      answersOf(reads, async (statements) => {
        const request = asOf === undefined ? { statements } : { statements, asOf }
        const { results, readTimestamp } = await requests.ask(request)
        asOf ??= readTimestamp
        return results
      }),
    commit: (writes) => writeAtOnce(requests, writes),
    rollback: async () => {},
  }
}

/**
 * A transaction over several requests: its BEGIN comes with the first reads, its COMMIT with the
 * writes.
 */
export function interactiveSteps(requests: PercoliteRequests): TransactionSteps {
  let transaction: string | undefined
  return {
    read: (reads) =>
      answersOf(reads, async (statements) => {
        if (transaction !== undefined) {
          return (await requests.ask({ statements, transaction })).results
        }
        const begun = await requests.ask({ statements: [BEGIN, ...statements], keepOpen: true })
        transaction = begun.transaction
        return begun.results.slice(1)
      }),
    async commit(writes) {
      // Where nothing was read, it may as well begin now.
      if (transaction === undefined) return await writeAtOnce(requests, writes)
      const statements = [...writes.map(writeStatement), COMMIT]
      const { results } = await requests.ask({ statements, transaction }, { commits: true })
      assertOneRowEach(writes, results)
    },
    async rollback() {
      if (transaction !== undefined) await requests.ask({ statements: [ROLLBACK], transaction })
    },
  }
}

/** A transaction that begins and ends with this request. */
async function writeAtOnce(requests: PercoliteRequests, writes: readonly Write[]): Promise<void> {
  if (writes.length === 0) return
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
