// SPDX-License-Identifier: Apache-2.0
import { createClient } from '@redis/client'
import { itemId, itemValue } from '../load/data.ts'
import { Random } from '../load/random.ts'
import type { LoadPlace, Workload } from '../load/workload.ts'

export type RedisSettings = { readonly url: string; readonly rows: number }

/** Puts, over one connection for each client, so that no two wait for one answer in one packet. */
export async function openWorkload(
  { url, rows }: RedisSettings,
  place: LoadPlace,
): Promise<Workload> {
  const connections = Array.from({ length: place.clients }, () => createClient({ url }))
  await Promise.all(connections.map((connection) => connection.connect()))
  const random = new Random(place.seed)
  return {
    async operate(client, sequence) {
      await connections[client]?.set(itemId(random.below(rows)), itemValue(random, sequence))
    },
    async close() {
      await Promise.all(connections.map((connection) => connection.close()))
    },
  }
}
