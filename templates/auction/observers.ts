import { defineObserver } from 'percolite/observers'

type Lot = { readonly id: string; readonly least: string }

/** Sells a lot to its best bid. A bid that is committed later finds the sale made. */
export const close = defineObserver<Lot>({
  observer: 'close',
  run: async (tx, { row: lot }) => {
    if (lot === undefined) return
    const best = await tx.query<{ bidder: string; amount: string }>(
      'SCAN bidder, amount FROM bid WHERE lot = $1 AND amount >= $2 LIMIT 1',
      [lot.id, lot.least],
    )
    const [bid] = best.rows
    await tx.query(
      'INSERT INTO sale (lot, buyer, price) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      [lot.id, bid?.bidder ?? null, bid?.amount ?? null],
    )
  },
})
