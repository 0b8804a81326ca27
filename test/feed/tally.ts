// SPDX-License-Identifier: Apache-2.0

/** Who runs for changes of `watched`: functions in the server, workers elsewhere, or both at once. */
export const TALLY_OBSERVERS = ['tally_here', 'tally_there', 'tally_both'] as const
export type TallyObserver = (typeof TALLY_OBSERVERS)[number]

/** `run` has a row for each run that was committed, `tally` their number and what the last one saw. */
export const CREATE_TALLY = [
  'CREATE TABLE tally (observer TEXT, item INTEGER, runs INTEGER, seen INTEGER, PRIMARY KEY (observer, item))',
  'CREATE TABLE run (observer TEXT, item INTEGER, started INTEGER, PRIMARY KEY (observer, item, started))',
  ...TALLY_OBSERVERS.map((observer) => `CREATE OBSERVER ${observer} ON watched (amount)`),
]

type TallyTransaction = {
  readonly readTimestamp: number
  query<Row>(sql: string, params: readonly unknown[]): Promise<{ readonly rows: readonly Row[] }>
}

/**
 * What all of the observers do. The count depends on the runs of before, so a run that is committed twice
 * for one change, or on an old snapshot, shows itself.
 */
export async function tally(
  tx: TallyTransaction,
  { observer, key, row }: { observer: string; key: readonly unknown[]; row: unknown },
): Promise<void> {
  const [item] = key
  const { amount = null } = (row ?? {}) as { readonly amount?: number | null }
  const get = 'GET runs FROM tally WHERE observer = $1 AND item = $2'
  const { rows } = await tx.query<{ readonly runs: number }>(get, [observer, item])
  const runs = (rows[0]?.runs ?? 0) + 1
  const set = 'SET runs = $3, seen = $4 ON tally WHERE observer = $1 AND item = $2'
  await tx.query(set, [observer, item, runs, amount])
  const insert = 'INSERT INTO run (observer, item, started) VALUES ($1, $2, $3)'
  await tx.query(insert, [observer, item, tx.readTimestamp])
}
