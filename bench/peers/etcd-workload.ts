// SPDX-License-Identifier: Apache-2.0
import { Etcd3 } from 'etcd3'
import { twoAccounts } from '../load/http-workload.ts'
import { Random } from '../load/random.ts'
import type { LoadPlace, Workload } from '../load/workload.ts'

export type EtcdSettings = { readonly origin: string; readonly rows: number }

/**
 * Transfers by compare-and-swap over gRPC, in two round trips: both balances are read in one
 * transaction, and written in another if neither key was written since.
 */
export async function openWorkload(
  { origin, rows }: EtcdSettings,
  place: LoadPlace,
): Promise<Workload> {
  const client = new Etcd3({ hosts: origin })
  const random = new Random(place.seed)
  let retries = 0
  return {
    async operate() {
      const [from, to] = twoAccounts(random, rows)
      while (!(await transfer(client, from, to))) retries += 1
    },
    takeFigures() {
      const figures = { retries }
      retries = 0
      return figures
    },
    async close() {
      client.close()
    },
  }
}

/** One attempt; false when another transfer was in the way. */
async function transfer(client: Etcd3, from: string, to: string): Promise<boolean> {
  const read = await client
    .if(from, 'Version', '>', 0)
    .then(client.get(from), client.get(to))
    .commit()
  const [left, right] = read.responses.map(({ response_range }) => response_range.kvs[0])
  if (left === undefined || right === undefined) throw new Error(`no account ${from} or ${to}`)
  const written = await client
    .if(from, 'Mod', '==', left.mod_revision)
    .and(to, 'Mod', '==', right.mod_revision)
    .then(
      client.put(from).value(String(Number(left.value) - 1)),
      client.put(to).value(String(Number(right.value) + 1)),
    )
    .commit()
  return written.succeeded
}
