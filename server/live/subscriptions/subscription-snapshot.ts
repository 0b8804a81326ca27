// SPDX-License-Identifier: Apache-2.0
import { type StatementResult, type SubscriptionPlan, WorkMeter } from '../../../planner/planner.ts'
import type { Timestamp, Transaction } from '../../../storage/storage.ts'
import type { Catalog } from '../../../storage/tables/tables.ts'
import { StatementFailure } from '../../errors/server-error.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import type { RunningRequest } from '../../requests/prepared/running-request.ts'
import { explained } from '../../requests/transactions/explained-error.ts'
import { inTransaction } from '../../snapshot.ts'
import type { SubscriptionSink } from './frames/frame-batch.ts'
import type { KnownColumns } from './frames/known-columns.ts'
import { ListFrames } from './frames/list-frames.ts'
import { SubscriptionFrame } from './frames/subscription-frame.ts'
import { snapshotRowText } from './matching/row-change.ts'
import type { SubscribedQuery } from './matching/subscribed-query.ts'
import { pagesOf } from './statement-pages.ts'
import type { SubscriptionDependencies } from './subscription-parts.ts'

const PAGE = { rows: SERVER_LIMITS.streamPageRows, bytes: SERVER_LIMITS.streamPageBytes }

/** Who reads a snapshot, and where its frames go. */
type Reader = {
  readonly query: SubscribedQuery
  readonly sink: SubscriptionSink
  readonly knownColumns: KnownColumns
  readonly running: RunningRequest
}

/**
 * Sends `subscribed`, the rows as of one moment and `snapshotEnd`, and resolves to that moment: every
 * later commit is in the feed after it. A page is read when there is room for it, so a slow reader
 * costs no more memory than a fast one. Rejects with what is wrong with the statement, and with the
 * signal's reason.
 */
export async function readSnapshot(
  deps: SubscriptionDependencies,
  reader: Reader,
): Promise<Timestamp> {
  const { query, sink, knownColumns, running } = reader
  const { turns } = running
  let catalog: Catalog | undefined
  const send = async (transaction: Transaction) => {
    catalog = query.viewOf(await deps.storage.catalog(transaction))
    const plan = query.planAt(catalog)
    const timestamp = transaction.startTs
    let isBegun = false
    const read = { statement: query.snapshotStatement, parameters: query.parameters }
    const reading = { running, transaction, catalog }
    for await (const page of pagesOf(deps, read, reading, () => PAGE)) {
      // Rows are on their way: the rest is not refused any more.
      running.admitted()
      // What is wrong with the statement is told by its first page, before anything is answered.
      if (!isBegun) sink.send(knownColumns.begin(timestamp, plan, deps.storage.history.name))
      isBegun = true
      for await (const frame of rowFrames(deps, plan, reader, page?.rows ?? [])) {
        await sink.room(running.signal)
        sink.send(frame)
      }
      await sink.room(running.signal)
    }
    // From here on the sink holds what has not been sent.
    running.releaseUnsent()
    sink.send(SubscriptionFrame.of('snapshotEnd', { timestamp }))
    return timestamp
  }
  try {
    return await inTransaction(deps.storage, { readOnly: true }, send, turns)
  } catch (error) {
    throw explained(error instanceof StatementFailure ? error.cause : error, catalog)
  }
}

async function* rowFrames(
  { writer }: SubscriptionDependencies,
  plan: SubscriptionPlan,
  { query, running }: Reader,
  rows: StatementResult['rows'],
): AsyncGenerator<SubscriptionFrame, void, undefined> {
  const { turns } = running
  const form = { writer, integers: query.integers, work: new WorkMeter() }
  const list = new ListFrames((items) => new SubscriptionFrame('rows', `,"rows":[${items}]}`))
  for (const [position, row] of rows.entries()) {
    const full = list.add(snapshotRowText(plan, row, form), position)
    if (full !== undefined) yield full.frame
    if (turns.isDue) await turns.pause()
  }
  const last = list.end()
  if (last !== undefined) yield last
}
