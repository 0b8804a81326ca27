// SPDX-License-Identifier: Apache-2.0

export type Lot = { readonly id: number; readonly ends: string | null }

type Closes = {
  query(sql: string, params: Readonly<Record<string, string | number>>): Promise<unknown>
}

/** Notes that the lot was closed for this time, and when; once more where that was so already. */
export async function closeLot(tx: Closes, { row }: { row?: Lot | null | undefined }) {
  if (row?.ends == null) throw new Error('a lot without a time was given to be closed')
  const at = new Date().toISOString()
  await tx.query(
    `INSERT INTO closing (lot, ends, runs, at) VALUES (:id, :ends, 1, :at)
     ON CONFLICT DO UPDATE SET runs = runs + 1`,
    { id: row.id, ends: row.ends, at },
  )
}
