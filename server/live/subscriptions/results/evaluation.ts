// SPDX-License-Identifier: Apache-2.0
import type { StatementResult } from '../../../../planner/planner.ts'
import type { ReadSet, Timestamp, Transaction } from '../../../../storage/storage.ts'
import type { Catalog } from '../../../../storage/tables/tables.ts'
import { limitExceeded, StatementFailure } from '../../../errors/server-error.ts'
import { SERVER_LIMITS } from '../../../limits.ts'
import type { RunningRequest } from '../../../requests/prepared/running-request.ts'
import { explained } from '../../../requests/transactions/explained-error.ts'
import { inTransaction } from '../../../snapshot.ts'
import { pagesOf } from '../statement-pages.ts'
import type { SubscriptionDependencies } from '../subscription-parts.ts'
import type { ListedRows } from './lists/list-texts.ts'
import { RowList } from './lists/row-list.ts'
import type { ResultQuery } from './result-query.ts'

type Columns = StatementResult['columns']

/** The answer of a statement as of a timestamp, and what it has read for it. */
export type Evaluated = ListedRows & {
  readonly columns: Columns
  /** Equal as long as the columns are. */
  readonly shape: string
  readonly reads: ReadSet
}

type Moment = { readonly asOf: Timestamp; readonly history?: string | undefined }

/**
 * Runs the statement, as it is now or as of a moment, on the account of `running`. Rejects with what is wrong with it,
 * `limit_exceeded` above `liveRowsMax` and `liveBytesMax`, StorageError, and the signal's reason.
 */
export async function evaluate(
  deps: SubscriptionDependencies,
  query: ResultQuery,
  running: RunningRequest,
  moment?: Moment,
): Promise<Evaluated> {
  let catalog: Catalog | undefined
  const run = async (transaction: Transaction) => {
    catalog = await deps.storage.catalog(transaction)
    const reads = transaction.recordReads()
    const { columns, texts } = await answerOf(deps, query, { running, transaction, catalog })
    reads.settle()
    const typed = columns.map(({ name, type }) => ({ name, type }))
    const columnsText = JSON.stringify(typed)
    const list = new RowList(texts, columnsText)
    const shape = deps.opaqueIds.of('shape', columnsText)
    return { timestamp: transaction.startTs, columns: typed, shape, list, texts, reads }
  }
  try {
    return await inTransaction(deps.storage, { readOnly: true, ...moment }, run, running.turns)
  } catch (error) {
    throw explained(error instanceof StatementFailure ? error.cause : error, catalog)
  } finally {
    running.releaseUnsent()
  }
}

type Reading = {
  readonly running: RunningRequest
  readonly transaction: Transaction
  readonly catalog: Catalog
}

/** All rows, as texts, read in pages. */
async function answerOf(
  deps: SubscriptionDependencies,
  query: ResultQuery,
  reading: Reading,
): Promise<{ readonly columns: Columns; readonly texts: readonly string[] }> {
  const { liveRowsMax, liveBytesMax } = SERVER_LIMITS
  const { turns } = reading.running
  const texts: string[] = []
  let columns: Columns = []
  let bytes = 0
  // One more than there may be tells that there are too many.
  const room = () => ({ rows: liveRowsMax + 1 - texts.length, bytes: liveBytesMax + 1 - bytes })
  for await (const page of pagesOf(deps, query, reading, room)) {
    columns = page?.columns ?? columns
    for (const row of page?.rows ?? []) {
      const text = deps.writer.row(columns, row, query.integers)
      texts.push(text)
      bytes += Buffer.byteLength(text)
      if (bytes > liveBytesMax) throw tooLarge('liveBytesMax', bytes, 'Bytes of a live result')
    }
    if (texts.length > liveRowsMax) {
      throw tooLarge('liveRowsMax', texts.length, 'Rows of a live result')
    }
    if (turns.isDue) await turns.pause()
  }
  return { columns, texts }
}

function tooLarge(limit: 'liveRowsMax' | 'liveBytesMax', actual: number, what: string) {
  const hint = 'Subscribe to fewer rows, with a LIMIT or a narrower WHERE.'
  return limitExceeded(limit, SERVER_LIMITS[limit], actual, what, { hint })
}
