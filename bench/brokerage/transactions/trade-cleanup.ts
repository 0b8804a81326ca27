// SPDX-License-Identifier: Apache-2.0
import { type Session, scan, type Transaction } from '../engine.ts'

export type TradeCleanupInput = {
  /** Trades below it were loaded, and are all completed. */
  readonly firstTradeId: number
  /** Epoch ms of the market. */
  readonly now: number
}

/** Rows that one transaction changes at most. */
const CHUNK_ROWS = 500
const ROWS_PER_REQUEST = 4
const TRADES_PER_SCAN = 1_000

/**
 * Cancels what the run before has left open, in chunks. It runs alone, before a run. Returns how many
 * orders were cancelled.
 */
export async function tradeCleanup(session: Session, input: TradeCleanupInput): Promise<number> {
  let cancelled = 0
  for (;;) {
    const transaction = await session.begin({})
    const requests = await cancelRequests(transaction, input.now)
    cancelled += requests
    if (requests === 0) break
  }
  for (let from: number | undefined = input.firstTradeId; from !== undefined; ) {
    const chunk = await cancelSubmitted(await session.begin({}), from, input.now)
    cancelled += chunk.cancelled
    from = chunk.next
  }
  return cancelled
}

/** What still waits for its price was submitted and cancelled, as its history then says. */
async function cancelRequests(transaction: Transaction, now: number): Promise<number> {
  const limit = CHUNK_ROWS / ROWS_PER_REQUEST
  const [requests] = await transaction.read(scan('trade_request', [], ['tr_t_id'], { limit }))
  for (const { tr_t_id } of requests) {
    transaction.insert('trade_history', { th_t_id: tr_t_id, th_st_id: 'SBMT', th_dts: now })
    cancel(transaction, tr_t_id, now)
    transaction.delete('trade_request', [tr_t_id])
  }
  await transaction.commit()
  return requests.length
}

async function cancelSubmitted(
  transaction: Transaction,
  from: number,
  now: number,
): Promise<{ readonly cancelled: number; readonly next?: number }> {
  const [trades] = await transaction.read(
    scan('trade', [], ['t_id', 't_st_id'], { atLeast: from, limit: TRADES_PER_SCAN }),
  )
  const open = trades.filter((trade) => trade.t_st_id === 'SBMT').slice(0, CHUNK_ROWS / 2)
  for (const { t_id } of open) cancel(transaction, t_id, now)
  await transaction.commit()
  const last = open.length === CHUNK_ROWS / 2 ? open.at(-1) : trades.at(-1)
  const isDone = trades.length < TRADES_PER_SCAN && open.length < CHUNK_ROWS / 2
  if (isDone || last === undefined) return { cancelled: open.length }
  return { cancelled: open.length, next: last.t_id + 1 }
}

function cancel(transaction: Transaction, tradeId: number, now: number): void {
  transaction.update('trade', [tradeId], { set: { t_st_id: 'CNCL', t_dts: now } })
  transaction.insert('trade_history', { th_t_id: tradeId, th_st_id: 'CNCL', th_dts: now })
}
