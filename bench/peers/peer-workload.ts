// SPDX-License-Identifier: Apache-2.0
import { ACCOUNTS, ITEMS, itemId, itemValue, twoAccounts } from '../load/data.ts'
import { Random } from '../load/random.ts'
import type { LoadOptions, Workload } from '../load/workload.ts'
import { openStore, type StoreSettings } from '../stores/open-store.ts'

export type PeerSettings = {
  readonly store: StoreSettings
  readonly operation: 'put' | 'transfer'
  readonly rows: number
}

/** Puts of items, or transfers between accounts, of any store. */
export async function openWorkload(
  { store: settings, operation, rows }: PeerSettings,
  { clients, seed }: LoadOptions,
): Promise<Workload> {
  const store = await openStore(settings, operation === 'put' ? ITEMS : ACCOUNTS, clients)
  const random = new Random(seed)
  return {
    operate(client, sequence) {
      if (operation === 'transfer') return store.transfer(client, ...twoAccounts(random, rows))
      const key = itemId(random.below(rows))
      return store.put(client, { key, fields: [itemValue(random, sequence)] })
    },
    takeFigures: () => ({ retries: store.takeRetries() }),
    close: () => store.close(),
  }
}
