// SPDX-License-Identifier: Apache-2.0
import { ACCOUNTS, twoAccounts } from '../load/data.ts'
import { Random } from '../load/random.ts'
import type { LoadOptions, Workload } from '../load/workload.ts'
import { openStore, type StoreSettings } from '../stores/open-store.ts'
import { FIELD_COUNT, FieldTexts, recordKey, USERTABLE } from '../ycsb/record.ts'

export const ROW_OPERATIONS = ['read', 'update', 'scan of 50', 'transfer'] as const
export type RowOperation = (typeof ROW_OPERATIONS)[number]

const SCANNED = 50

export type RowsSettings = {
  readonly store: StoreSettings
  readonly records: number
  readonly accounts: number
}

/** One operation at a time, over one set of connections for each table; keys are drawn uniformly. */
export async function openWorkload(
  { store: settings, records, accounts }: RowsSettings,
  { clients, seed }: LoadOptions,
): Promise<Workload> {
  const rows = await openStore(settings, USERTABLE, clients)
  const balances = await openStore(settings, ACCOUNTS, clients)
  const random = new Random(seed)
  const texts = new FieldTexts()
  const key = () => recordKey(random.below(records))
  const operations: Readonly<Record<RowOperation, (client: number) => Promise<unknown>>> = {
    read: (client) => rows.get(client, key()),
    update: (client) =>
      rows.update(client, key(), [[random.below(FIELD_COUNT), texts.next(random)]]),
    'scan of 50': (client) => rows.scan(client, key(), SCANNED),
    transfer: (client) => balances.transfer(client, ...twoAccounts(random, accounts)),
  }
  let operate = operations.read
  return {
    choose(name) {
      operate = operations[name as RowOperation]
    },
    operate: async (client) => void (await operate(client)),
    takeFigures: () => ({ retries: rows.takeRetries() + balances.takeRetries() }),
    async close() {
      await rows.close()
      await balances.close()
    },
  }
}
